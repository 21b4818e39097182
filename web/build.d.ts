/** The paths of the panel's module and of those that it imports, relative to the address of the service. Set by the build. */
declare const PANEL_PATHS: readonly [string, ...string[]];

/** Style sheets are bundled as texts, for adopted style sheets. */
declare module '*.css' {
  export const styles: string;
}
