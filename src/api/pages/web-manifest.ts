/** A built file of the web pages; its name contains a hash of its content. */
export interface WebFile {
  /** In the folder `assets`. Compressed copies have the endings `.br` and `.gz`, where they are smaller. */
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes?: number;
  readonly brotliBytes?: number;
  /** For the attribute `integrity` of a script. */
  readonly integrity: string;
}

/** What `scripts/build-web.ts` has built. */
export interface WebManifest {
  /** A hash of the sources, which tells whether the build is up to date. */
  readonly sources: string;
  /** True while `npm run web` is running: the service then reads every new build. */
  readonly isWatched: boolean;
  /** The address of the pinned loader is `/widget/<widgetVersion>.js`. */
  readonly widgetVersion: string;
  /** By their entry, for example `panel.js`. */
  readonly files: Readonly<Record<string, WebFile>>;
}
