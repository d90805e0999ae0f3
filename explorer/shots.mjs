// The pictures of docs/explorer.md, of real output. scripts/explorer_shots runs it.
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {argument, browser, explore, finish, open, PLAYDOH, root, settle} from './test/harness.mjs';

const chromium = await browser();
const folder = join(root, 'docs/pictures');
mkdirSync(folder, {recursive: true});
const SIZE = {
  width: 1440,
  height: 810
};
async function shot(name, page) {
  await settle(page);
  await page.mouse.move(2, 2);
  await page.waitForTimeout(150);
  writeFileSync(
      join(folder, `explorer-${name}.png`), await page.screenshot({animations: 'disabled', caret: 'hide'}));
  await page.close();
}
const figure = explore(join(root, 'examples/join.psi'), `${PLAYDOH},psi-normalize,destruct`, 'join.html');
const clip =
    explore(join(root, 'examples/kernels/clip.psi'), `construct,O2,${PLAYDOH},destruct`, 'clip.html');
const running = explore(join(root, 'examples/running.psi'), 'construct,destruct', 'running.html');
const step = (data, func, pass) =>
    data.functions.find(f => f.name === func).steps.findIndex(s => s.pass === pass);
await shot(
    'flow',
    await open(
        chromium, `${clip.url}?theme=light#f=clip&s=${step(clip.data, 'clip', 'if-convert') - 1}`,
        {width: 1680, height: 1000}));
const compare = await open(chromium, `${figure.url}?theme=dark#f=branches&s=1&c=0`, SIZE);
for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await compare.keyboard.press(key);
await shot('compare', compare);
await shot('live', await open(chromium, `${figure.url}?theme=light#f=branches&s=3&c=1&view=live`, SIZE));
if (running.data.functions[0].traces.length)
  await shot('steps', await open(chromium, `${running.url}?theme=light#f=example&view=steps&t=0&e=1`, SIZE));
const playground = argument('page', '');
if (playground && existsSync(playground)) {
  const page = await chromium.newPage({viewport: SIZE});
  await page.goto(`file://${playground}?theme=dark`);
  await page.waitForFunction(
      () => window.psic?.model?.functions.length > 0 && document.querySelector('.big-result'), undefined,
      {timeout: 60_000});
  await page.locator('.tools select').selectOption({label: 'gcd'});
  await page.waitForFunction(
      () => document.querySelector('.big-result')?.textContent === '6', undefined, {timeout: 60_000});
  await page.evaluate(() => {
    document.activeElement.blur();
    const first = psic.func.data.steps.findIndex(s => s.pass === 'construct');
    psic.set({step: first});
  });
  await shot('playground', page);
}
await chromium.close();
finish(`pictures are in ${folder}`);
