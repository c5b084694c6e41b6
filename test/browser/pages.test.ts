import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { desktop, launchBrowser, openPage, overflowOf, phone } from '#test/support/browser.ts'
import { catalogue } from '#test/support/catalogue.ts'

// The pages without scripts in a real browser.

describe('Pages in a browser', () => {
  let browser: Browser
  let url: string
  before(async () => {
    url = (await catalogue()).client.url
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  for (const [path, heading] of [
    ['/', 'Music Catalog API 1.0.0'],
    ['/admin', 'Music Catalog API 1.0.0'],
    ['/errors', 'Error codes'],
  ] as const) {
    for (const [name, viewport] of Object.entries({ desktop, phone })) {
      it(`${path} fits a ${name}, logs no error, and requests nothing but itself`, async () => {
        const { page, problems, origins } = await openPage(browser, viewport)
        const requested: string[] = []
        page.on('request', (request) => requested.push(request.url()))
        await page.goto(url + path, { waitUntil: 'networkidle' })
        expect(await page.locator('h1').innerText()).to.equal(heading)
        expect(await overflowOf(page)).to.equal(0)
        expect(problems).to.deep.equal([])
        expect(requested.filter((address) => !address.startsWith('data:'))).to.deep.equal([url + path])
        expect([...origins]).to.deep.equal([url])
        await page.close()
      })
    }
  }

  it('/ links to the documentation, and applies its style', async () => {
    const { page } = await openPage(browser)
    await page.goto(url)
    expect(await page.evaluate(`getComputedStyle(document.querySelector('ul')).listStyleType`)).to.equal('none')
    await page.getByRole('link', { name: 'API documentation' }).click()
    await page.waitForSelector('.opblock-tag')
    expect(page.url()).to.equal(`${url}/docs`)
    await page.close()
  })
})
