// Each view is drawn as it was: pictures of real output, compared with tolerance. --update writes them anew;
// look at them then.
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {browser, check, differing, explore, finish, here, open, PLAYDOH, root, scratch, settle} from './harness.mjs';

const TOLERANCE = 0.02;
const SIZE = {
  width: 1440,
  height: 860
};
const chromium = await browser();
const update = process.argv.includes('--update');
const join1 = explore(join(root, 'examples/join.psi'), `${PLAYDOH},psi-normalize,destruct`, 'join.html');
const clip =
    explore(join(root, 'examples/kernels/clip.psi'), `construct,O2,${PLAYDOH},destruct`, 'clip.html');
const running = explore(join(root, 'examples/running.psi'), 'construct,destruct', 'running.html');
const VIEWS = [
  ['flow', join1.url, 'light', 'f=branches&s=0&i=6'],
  ['flow-compare', join1.url, 'dark', 'f=branches&s=1&c=0&i=6'],
  ['flow-loop', clip.url, 'light', 'f=clip&s=3'],
  ['flow-graph', join1.url, 'light', 'f=branches&s=1&g=1'],
  ['live', join1.url, 'light', 'f=branches&s=3&c=1&view=live'],
  ['live-loop', clip.url, 'dark', 'f=clip&s=3&view=live'],
  ['schedule', join1.url, 'light', 'f=branches&s=1&view=schedule'],
  ['steps-psi', join1.url, 'dark', 'f=branches&view=steps&t=0&e=1'],
  ['steps', running.url, 'light', 'f=example&view=steps&t=0&e=1'],
];
const folder = join(here, 'shots');
mkdirSync(folder, {recursive: true});
let page;
for (const [name, url, theme, place] of VIEWS) {
  page = await open(chromium, `${url}?theme=${theme}#${place}`, SIZE);
  await settle(page);
  await page.mouse.move(2, 2);
  await page.waitForTimeout(120);
  const now = await page.screenshot({animations: 'disabled', caret: 'hide'});
  const known = join(folder, name + '.png');
  if (update)
    writeFileSync(known, now);
  else if (check(existsSync(known), `${known} is not there: --update`)) {
    const blank = await chromium.newPage();
    const part = await differing(blank, now, readFileSync(known));
    await blank.close();
    if (!check(
            part <= TOLERANCE, `${name}: ${(100 * part).toFixed(2)} % of the picture differ from ${known}`))
      writeFileSync(join(scratch(), name + '.png'), now);
  }
  await page.close();
}
await chromium.close();
finish(`${VIEWS.length} pictures`);
