import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { root } from '#test/support/app.ts'
import { accessibilityFaults } from '#test/template/support/accessibility.ts'
import { desktop, launchBrowser, measureOverflow, openPage, phone } from '#test/template/support/browser.ts'
import { serveSite } from '../../../scripts/docs/serve.ts'
import { buildSite } from '../../../scripts/docs/site.ts'

// The site of npm run docs -- serve in a real browser.

describe('The documentation site in a browser', () => {
  let browser: Browser
  let server: Server
  let url: string
  before(async () => {
    const site = buildSite(root)
    server = await serveSite(() => site, 0)
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    server?.close()
  })

  for (const [name, viewport] of Object.entries({ desktop, phone })) {
    for (const path of ['index', 'life-of-a-request', 'errors', 'commands']) {
      it(`docs/${path}.html fits a ${name}, logs no error, and requests nothing from other origins`, async () => {
        const { page, problems, origins } = await openPage(browser, viewport)
        await page.goto(`${url}/docs/${path}.html`)
        expect(await page.locator('main h1').count()).to.equal(1)
        expect(await measureOverflow(page)).to.equal(0)
        expect(problems).to.deep.equal([])
        expect([...origins]).to.deep.equal([url])
        expect(await accessibilityFaults(page)).to.deep.equal([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await accessibilityFaults(page)).to.deep.equal([])
        await page.close()
      })
    }
  }

  it('shows a page with the search and the style for an address without a page', async () => {
    const { page, problems } = await openPage(browser)
    const response = await page.goto(`${url}/docs/how-to/nothing.html`)
    expect(response?.status()).to.equal(404)
    expect(await page.locator('h1').innerText()).to.equal('Page not found')
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.keyboard.press('/')
    await page.keyboard.type('cursor pagination')
    await page.waitForSelector('#results li')
    await page.keyboard.press('Enter')
    await page.waitForURL(({ pathname }) => pathname !== '/docs/how-to/nothing.html')
    expect(await page.locator('h1').innerText()).not.to.equal('Page not found')
    // Chromium logs the status of a page that is an error.
    expect(problems.filter((problem) => !problem.includes('status of 404'))).to.deep.equal([])
    await page.close()
  })

  it('opens the best result of a search by the keyboard alone', async () => {
    const { page, problems } = await openPage(browser)
    await page.goto(`${url}/docs/index.html`)
    await page.keyboard.press('/')
    await page.keyboard.type('RESOURCE_NOT_FOUND')
    await page.waitForSelector('#results li')
    expect(await page.locator('#results li').first().innerText()).to.match(/^Error codes › RESOURCE_NOT_FOUND/)
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('#search').getAttribute('aria-activedescendant')).to.equal('result-0')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/docs/errors.html#resource_not_found`)
    expect(problems).to.deep.equal([])
    await page.close()
  })

  it('finds words with signs that patterns reserve', async () => {
    const { page, problems } = await openPage(browser)
    await page.goto(`${url}/docs/index.html`)
    for (const words of ['If-None-Match', 'filter[title]', 'N+1', 'c:\\\\', '/ready']) {
      await page.locator('#search').fill(words)
      await page.locator('#results').waitFor()
    }
    expect(problems).to.deep.equal([])
    await page.close()
  })

  it('shows a sentence when no page contains the words, and closes the list with Escape', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${url}/docs/index.html`)
    await page.locator('#search').fill('zzzz(')
    await page.getByText('No page contains these words.').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('#results').isHidden()).to.equal(true)
    await page.close()
  })

  it('has a dark background if the system prefers it', async () => {
    const { page } = await openPage(browser)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${url}/docs/architecture.html`)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal('rgb(18, 22, 28)')
    await page.close()
  })
})
