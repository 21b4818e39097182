import { build, type Plugin } from 'esbuild';

/**
 * `import { styles } from './panel.css'` gives the bundled style sheet as a text, for an adopted style sheet: a style
 * element would need permission by the page's content security policy.
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
        contents: `export const styles = ${JSON.stringify(outputFiles[0]?.text.trim())};`,
        loader: 'js',
        watchFiles: Object.keys(metafile.inputs),
      };
    });
  },
};
