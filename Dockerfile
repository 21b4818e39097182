# The same Node version that `npm start` and `npm test` use.
FROM node:26.10.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Omits test dependencies and the bundled Node binaries.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# The pages are built with the development packages, which the service does not need.
FROM node:26.10.0-trixie-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
# With optional packages: they contain the binary of the bundler.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts ./scripts
COPY docs ./docs
COPY web ./web
COPY src ./src
RUN node scripts/build-web.ts

FROM node:26.10.0-trixie-slim
LABEL org.opencontainers.image.title="Switchboard" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY --from=pages /app/dist/web ./dist/web
COPY src ./src
# For a single node on SQLite; several nodes get a DATABASE_URL and write nothing here.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:/data/switchboard.db \
    MALLOC_MMAP_THRESHOLD_=1048576
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/_health`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Any other command: docker run … <image> key list
ENTRYPOINT ["node", "--max-semi-space-size=4", "src/main.ts"]
CMD ["serve"]
