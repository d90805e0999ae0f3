// What the tests share: a Chromium of Debian's without a window, pages made of psic's data, checks that can
// fail.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, '../..');
export const SKIPPED = 77;  // as ctest has it

export function argument(name, fallback) {
  const found = process.argv.find(a => a.startsWith(`--${name}=`));
  if (found) return found.slice(name.length + 3);
  if (fallback === undefined) {
    console.error(`--${name}=... is missing`);
    process.exit(2);
  }
  return fallback;
}
export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}

export const psic = () => argument('psic');
export const scratch = () => {
  const folder = argument('scratch');
  mkdirSync(folder, {recursive: true});
  return folder;
};

export async function browser() {
  const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
  if (!path) skip('there is no chromium');
  let playwright;
  try {
    playwright = await import('playwright-core');
  } catch {
    skip('explorer/node_modules is not there: npm ci in explorer/');
  }
  return playwright.chromium.launch({
    executablePath: path,
    args:
        ['--no-sandbox', '--font-render-hinting=none', '--force-device-scale-factor=1', '--disable-lcd-text']
  });
}

// The page of a file, as the tool writes it, and its data. With --insert the data are put into the built page
// here: for work on the page without building psic.
export function explore(file, list, name, more = []) {
  const out = join(scratch(), name), args = [...(list === null ? [] : [`--passes=${list}`]), ...more, file];
  const json = execFileSync(psic(), ['explore', '--json', ...args], {maxBuffer: 1 << 30, encoding: 'utf8'});
  if (process.argv.includes('--insert'))
    writeFileSync(
        out, readFileSync(join(root, 'explorer/dist/page.html'), 'utf8').replace('@PSIC_DATA@', () => json));
  else
    execFileSync(psic(), ['explore', '-o', out, ...args]);
  return {url: 'file://' + resolve(out), data: JSON.parse(json)};
}

const failures = [];
export function check(condition, words) {
  if (condition) return true;
  failures.push(words);
  console.error('FAILED: ' + words);
  return false;
}
export function equal(a, b, words) {
  return check(
      JSON.stringify(a) === JSON.stringify(b),
      `${words}: ${JSON.stringify(a)?.slice(0, 300)} is not ${JSON.stringify(b)?.slice(0, 300)}`);
}
export function finish(words) {
  if (failures.length) {
    console.error(`${failures.length} failures`);
    process.exit(1);
  }
  console.log(words);
  process.exit(0);
}

// A page that may not complain.
export async function open(context, url, size = {
  width: 1600,
  height: 1000
}) {
  const page = await context.newPage({viewport: size, reducedMotion: 'reduce'});
  page.on(
      'console',
      message => check(!['error', 'warning'].includes(message.type()), `${url}: console: ${message.text()}`));
  page.on('pageerror', error => check(false, `${url}: ${error.stack}`));
  page.on('dialog', dialog => {
    check(false, `${url}: a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on(
      'request',
      request => check(/^(file|blob|data):/.test(request.url()), `${url}: it asked for ${request.url()}`));
  await page.goto(url);
  await page.waitForFunction(
      () => window.psic?.model?.functions.length > 0 && !document.querySelector('.canvas.waiting'), undefined,
      {timeout: 60_000});
  await page.evaluate('document.fonts.ready');
  return page;
}
export const settle = page =>
    page.waitForFunction(() => !document.querySelector('.canvas.waiting'), undefined, {timeout: 60_000});

// How much of two pictures differs, as a part of one.
export async function differing(page, a, b) {
  return page.evaluate(async ([first, second]) => {
    const pixels = async text => {
      const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
      const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      return context.getImageData(0, 0, picture.width, picture.height);
    };
    const [p, q] = [await pixels(first), await pixels(second)];
    if (p.width !== q.width || p.height !== q.height) return 1;
    let count = 0;
    for (let i = 0; i < p.data.length; i += 4)
      if (Math.abs(p.data[i] - q.data[i]) + Math.abs(p.data[i + 1] - q.data[i + 1]) +
              Math.abs(p.data[i + 2] - q.data[i + 2]) >
          96)
        ++count;
    return count / (p.width * p.height);
  }, [a.toString('base64'), b.toString('base64')]);
}

export const PLAYDOH = 'if-convert(target=playdoh,mode=all,regions=hyperblocks)';
export const FIGURES = [
  ['examples/join.psi', `${PLAYDOH},psi-normalize,psi-web,destruct`],
  ['examples/running.psi', 'construct,O1,destruct'],
  ['examples/clamp.psi', 'psi-promote,psi-normalize,destruct'],
  ['examples/kernels/clip.psi', `construct,O2,${PLAYDOH},O1,destruct`],
];
