/** The path of the panel's module, relative to the address of the service. Set by the build. */
declare const PANEL_PATH: string;

/** Style sheets are bundled as texts, for adopted style sheets. */
declare module '*.css' {
  export const styles: string;
}
