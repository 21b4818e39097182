declare module '@fastify/swagger-ui/static/swagger-ui-bundle.js' {
  const SwaggerUIBundle: (options: Record<string, unknown>) => void;
  // biome-ignore lint/style/noDefaultExport: the package's bundle is CommonJS
  export default SwaggerUIBundle;
}
