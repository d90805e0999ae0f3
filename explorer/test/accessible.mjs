// axe-core finds nothing serious, in any view, light or dark.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {browser, check, explore, finish, open, PLAYDOH, root, settle} from './harness.mjs';

const chromium = await browser();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const {url} =
    explore(join(root, 'examples/join.psi'), `${PLAYDOH},psi-normalize,destruct`, 'accessible.html');
const running = explore(join(root, 'examples/running.psi'), 'construct,destruct', 'accessible-steps.html');
let checks = 0;
for (const theme of ['light', 'dark']) {
  for (const place
           of ['s=0', 's=1&c&i=8&v=10', 's=1&g=1', 's=3&view=live&c=1', 's=3&view=schedule', 's=3&view=steps',
               'events', 'dialog']) {
    const page = await open(
        chromium,
        place === 'events' ? `${running.url}?theme=${theme}#f=example&view=steps&e=1` :
                             `${url}?theme=${theme}#f=branches&${place}`);
    await settle(page);
    if (place === 'dialog') await page.keyboard.press('?');
    // The page's own policy lets no other script in: the checker comes from outside of it.
    await page.evaluate(axe);
    const found = await page.evaluate(
        async () => (await axe.run(document, {resultTypes: ['violations']}))
                        .violations.map(v => ({
                                          id: v.id,
                                          impact: v.impact,
                                          help: v.help,
                                          nodes: v.nodes.slice(0, 4).map(
                                              n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? ''))
                                        })));
    ++checks;
    for (const v of found) {
      const words = `${theme} ${place}: ${v.impact} ${v.id}: ${v.help}\n  ${v.nodes.join('\n  ')}`;
      if (['serious', 'critical'].includes(v.impact))
        check(false, words);
      else
        console.log('note: ' + words);
    }
    await page.close();
  }
}
await chromium.close();
finish(`${checks} pages checked`);
