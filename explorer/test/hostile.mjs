// Names with markup and text that is none: nothing executes, nothing breaks.
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {browser, check, equal, explore, finish, open, scratch, settle} from './harness.mjs';

const evil = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
const program = `# ${evil} </script><script>alert(3)</script>
func $"${evil}"(%"${evil}": i32) -> i32 ssa {
@"${evil}":
  %"a&lt;b>${evil}" = add.i32 %"${evil}", 1
  %p = cmp.lt.i32 %"${evil}", 7
  %q = cmp.lt.i32 %"${evil}", 3
  br %p, @"${evil}2", @"\\"><svg onload=alert(4)>"
@"${evil}2":
  br @"\\"><svg onload=alert(4)>"
@"\\"><svg onload=alert(4)>":
  %r = phi.i32 [@"${evil}": 0], [@"${evil}2": %"a&lt;b>${evil}"]
  ret %r
}
`;
const file = join(scratch(), 'hostile <b>name.psi');
writeFileSync(file, program);
const {url, data} = explore(file, 'if-convert(target=playdoh,mode=all),destruct', 'hostile.html');
const chromium = await browser();
const page = await open(chromium, url);
for (const key
         of ['ArrowRight', 'c', 'ArrowDown', 'ArrowDown', 'Enter', 'c', '2', 'ArrowDown', '3', '4', '1', 'g',
             'g', '/']) {
  await page.keyboard.press(key);
  await settle(page);
}
await page.keyboard.type('img');
await page.keyboard.press('Enter');
equal(await page.locator('img, svg[onload], [onerror]').count(), 0, 'names became elements');
equal(await page.locator('script').count(), 2, 'scripts of the page');
equal(await page.evaluate('psic.func.name'), data.functions[0].name, 'the name is shown as it is');
check(
    (await page.evaluate('document.querySelector(".canvas").textContent')).includes('onerror=alert(1)'),
    'names stand in the graph as text');
// The policy refuses what would come in another way.
const guarded = await chromium.newPage();
await guarded.goto(url);
equal(
    await guarded
        .evaluate(() => {
          const s = document.createElement('script');
          s.textContent = 'window.evil = 1';
          document.body.append(s);
          return window.evil ?? 0;
        })
        .catch(() => 0),
    0, 'the policy stops a script');

// Data that are none, or wrong.
const {readFileSync} = await import('node:fs');
const built = readFileSync(new URL('../dist/page.html', import.meta.url), 'utf8');
for (const [name, text] of [
         ['no-json', 'not JSON'], ['other-json', '{"functions": 3}'], ['empty', '@PSIC_DATA@'],
         ['nothing', JSON.stringify({...data, functions: []})]]) {
  const out = join(scratch(), name + '.html');
  writeFileSync(out, built.replace('@PSIC_DATA@', () => text.replaceAll('<', '\\u003c')));
  const other = await chromium.newPage();
  other.on('pageerror', error => check(false, `${name}: ${error.stack}`));
  await other.goto('file://' + out);
  check(
      (await other.locator('.empty').count()) === 1, `${name}: the page says that there is nothing to show`);
  await other.close();
}
// An address that no page wrote.
const strange = await open(chromium, url + '#f=%00&s=99999&i=-4&v=1e9&p=9.9-x&view=nothing&t=77&c=zz');
check(await strange.locator('.block').count() > 0, 'a strange address shows the function');
await chromium.close();
finish('nothing of it executed');
