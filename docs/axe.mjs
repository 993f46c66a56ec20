// Prints what axe-core finds wrong on pages of the built site, in headless Chromium; 1 if anything.
// `node docs/axe.mjs PAGE.html...`, with axe-core and puppeteer-core installed by npm.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const modules = createRequire(`${process.cwd()}/`)
const browser = await modules('puppeteer-core').launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--allow-file-access-from-files'],
})
let found = 0
for (const scheme of ['light', 'dark']) {
  for (const file of process.argv.slice(2)) {
    const page = await browser.newPage()
    await page.setBypassCSP(true)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.goto(pathToFileURL(file).href)
    await page.addScriptTag({ path: modules.resolve('axe-core') })
    const { violations } = await page.evaluate(() => axe.run())
    for (const one of violations) {
      found += 1
      console.log(`${file} (${scheme}): ${one.id}, ${one.impact}: ${one.help}`)
      for (const node of one.nodes.slice(0, 3)) console.log(`    ${node.target}  ${node.html.slice(0, 120)}`)
    }
    await page.close()
  }
}
await browser.close()
console.log(found ? `${found} findings` : 'axe finds nothing')
process.exit(found ? 1 : 0)
