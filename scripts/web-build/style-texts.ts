import { build, type Plugin } from 'esbuild';

/**
 * `import { styles } from './panel.css'` gives the bundled style sheet as a text, for an adopted style sheet: a style
 * element would need permission by the website's content security policy. Lengths in rem become pixels: the website
 * chooses the size of a rem, and many choose 10 pixels.
 */
export const styleTexts: Plugin = {
  name: 'style-texts',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles, metafile } = await build({
        entryPoints: [path],
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        logLevel: 'silent',
      });
      return {
        contents: `export const styles = ${JSON.stringify(toPixels(outputFiles[0]?.text.trim() ?? ''))};`,
        loader: 'js',
        watchFiles: Object.keys(metafile.inputs),
      };
    });
  },
};

function toPixels(styles: string): string {
  return styles.replaceAll(/(?<![\w.])(\d*\.?\d+)rem\b/g, (_length, rem) => `${Number(rem) * 16}px`);
}
