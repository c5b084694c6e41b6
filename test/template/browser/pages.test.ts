import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { catalogue } from '#test/support/catalogue.ts'
import { accessibilityFaults } from '#test/template/support/accessibility.ts'
import { desktop, launchBrowser, measureOverflow, openPage, phone } from '#test/template/support/browser.ts'

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
    ['/profiles/versions', 'Profile "versions"'],
  ] as const) {
    for (const [name, viewport] of Object.entries({ desktop, phone })) {
      it(`${path} fits a ${name}, logs no error, and requests nothing but itself`, async () => {
        const { page, problems, origins } = await openPage(browser, viewport)
        const requested: string[] = []
        page.on('request', (request) => requested.push(request.url()))
        await page.goto(url + path, { waitUntil: 'networkidle' })
        expect(await page.locator('h1').innerText()).to.equal(heading)
        expect(await measureOverflow(page)).to.equal(0)
        expect(problems).to.deep.equal([])
        expect(requested.filter((address) => !address.startsWith('data:'))).to.deep.equal([url + path])
        expect([...origins]).to.deep.equal([url])
        expect(await accessibilityFaults(page)).to.deep.equal([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await accessibilityFaults(page)).to.deep.equal([])
        await page.close()
      })
    }
  }

  for (const [path, status] of [
    ['/albums?include=artist&page[size]=1', 200],
    ['/albums/4711', 404],
    ['/operations', 405],
  ] as const) {
    for (const [name, viewport] of Object.entries({ desktop, phone })) {
      it(`the document of ${path} fits a ${name}, logs no error, and requests nothing but itself`, async () => {
        const { page, problems, origins } = await openPage(browser, viewport)
        const response = await page.goto(url + path, { waitUntil: 'networkidle' })
        expect(response?.status()).to.equal(status)
        expect(await page.locator('h1').innerText()).to.equal(`${status} GET ${path}`)
        const shown = JSON.parse(await page.locator('pre').innerText())
        const sent = JSON.parse(await (await fetch(url + path)).text())
        expect(withoutIds(shown)).to.deep.equal(withoutIds(sent))
        expect(await measureOverflow(page)).to.equal(0)
        // Chromium logs the status of a page that is an error.
        expect(problems.filter((problem) => !problem.includes(`status of ${status}`))).to.deep.equal([])
        expect([...origins]).to.deep.equal([url])
        expect(await accessibilityFaults(page)).to.deep.equal([])
        await page.close()
      })
    }
  }

  it('/errors has an index of all codes, whose links lead to their entries, and a search', async () => {
    const { page, problems } = await openPage(browser)
    await page.goto(`${url}/errors`)
    const codes = await page.locator('article h2').allInnerTexts()
    expect(codes).to.include('RESOURCE_NOT_FOUND').and.have.length.above(50)
    expect(await page.locator('nav li').allInnerTexts()).to.deep.equal(codes)
    await page.locator('nav').getByRole('link', { name: 'RESOURCE_NOT_FOUND', exact: true }).click()
    expect(await page.evaluate('document.querySelector(":target").innerText')).to.equal('RESOURCE_NOT_FOUND')
    await page.getByRole('searchbox').fill('404 not_found')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/errors?search=404+not_found`)
    const found = await page.locator('article h2').allInnerTexts()
    expect(found).to.include('RESOURCE_NOT_FOUND').and.have.length.below(10)
    expect(await page.getByRole('searchbox').inputValue()).to.equal('404 not_found')
    expect(problems).to.deep.equal([])
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
    await page.goto(`${url}/errors?search=%22%3E%3Cscript%3E`)
    expect(await page.locator('script').count()).to.equal(0)
    expect(await page.locator('article').count()).to.equal(0)
    await page.close()
  })

  it('follows a link of a document to another document, and back to the first', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${url}/albums/1`)
    await page.locator(`a[href$="/albums/1/artist"]`).first().click()
    await page.waitForURL(`${url}/albums/1/artist`)
    expect(JSON.parse(await page.locator('pre').innerText()).data.type).to.equal('artists')
    await page.goBack()
    expect(JSON.parse(await page.locator('pre').innerText()).data).to.include({ type: 'albums', id: '1' })
    await page.close()
  })

  it('shows the document that a script of the page has fetched as a page, not as JSON', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${url}/docs`)
    const type = await page.evaluate(`fetch('${url}/genres').then((answer) => answer.headers.get('content-type'))`)
    expect(type).to.equal('application/vnd.api+json')
    await page.goto(`${url}/genres`)
    expect(JSON.parse(await page.locator('pre').innerText()).data).to.be.an('array')
    await page.close()
  })

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

/** The ids of errors differ by request. */
function withoutIds({ errors, ...document }: { errors?: { id?: string }[] }): object {
  return { ...document, ...(errors && { errors: errors.map(({ id, ...error }) => error) }) }
}
