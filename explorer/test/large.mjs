// 2,000 and 20,000 instructions: rows outside of the window are not in the page. Times are printed, not
// judged.
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {browser, check, equal, explore, finish, open, psic, scratch, settle} from './harness.mjs';

const chromium = await browser();
for (const [size, passes] of [[2000, 'construct,O1,destruct'], [20000, 'construct']]) {
  const file = join(scratch(), `large${size}.psi`);
  execFileSync(psic(), ['gen', '--seed=3', `--size=${size}`, '--functions=1', '--names', '-o', file]);
  const {url} = explore(file, passes, `large${size}.html`);
  const start = Date.now();
  const page = await open(chromium, url);
  const opened = Date.now() - start;
  const instructions = await page.evaluate('psic.snap.rows.length');
  check(instructions > size * 0.8, `${instructions} instructions, not about ${size}`);
  let most = 0;
  const nodes = async () => {
    const n = await page.evaluate('document.getElementsByTagName("*").length');
    most = Math.max(most, n);
    return n;
  };
  const times = [];
  for (const key
           of ['ArrowRight', 'ArrowRight', 'f', '+', '+', '+', '+', ']', ']', ']', 'ArrowDown', 'Home', '2',
               'ArrowDown', '3', '4', '1', 'c', 'c']) {
    const t = Date.now();
    await page.keyboard.press(key);
    await settle(page);
    await page.evaluate('document.body.offsetHeight');
    times.push(`${key} ${Date.now() - t}`);
    await nodes();
  }
  check(most <= 4000, `${size} instructions: ${most} elements in the page`);
  // The last instruction can be reached, in the text and in the graph.
  await page.evaluate('psic.selectInst(psic.snap.rows[psic.snap.rows.length - 1])');
  await settle(page);
  check(
      await page.locator('.canvas .rowi.here').count() >= 1, `${size}: the last instruction is in the graph`);
  equal(await page.locator('.txt .ln.here').count(), 1, `${size}: and in the text`);
  console.log(
      `${instructions} instructions: open ${opened} ms, at most ${most} elements; ms: ${times.join(', ')}`);
  await page.close();
}
await chromium.close();
finish('large functions stay usable');
