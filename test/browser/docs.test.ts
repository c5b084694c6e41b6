import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { type Browser, chromium, type Page } from 'playwright-core'
import { catalogue } from '#test/support/catalogue.ts'

// The documentation page in a real browser: the one of Debian, or the one in CHROMIUM.

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

describe('Documentation page in a browser', () => {
  let browser: Browser
  let page: Page
  let url: string
  const problems: string[] = []
  const hosts = new Set<string>()

  before(async () => {
    expect(existsSync(executablePath), `${executablePath} is installed`).to.equal(true)
    url = (await catalogue()).client.url
    browser = await chromium.launch({ executablePath, headless: true })
    page = await browser.newPage({ viewport: { width: 1280, height: 1600 } })
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
    })
    await page.goto(`${url}/docs`)
    await page.waitForSelector('.opblock-tag')
  })
  after(() => browser?.close())

  it('lists every tag of the document', async () => {
    const { tags } = JSON.parse(await (await fetch(`${url}/docs.json`)).text())
    const shown = await page
      .locator('.opblock-tag')
      .evaluateAll((all) => all.map((tag) => tag.getAttribute('data-tag')))
    expect(shown).to.have.members(tags.map(({ name }: { name: string }) => name))
  })

  it('expands an operation, executes GET /albums with the JSON:API media type, and shows both albums', async () => {
    await page.locator('.opblock-tag[data-tag="Catalog"]').click()
    const operation = page.locator('.opblock-get:has([data-path="/albums"])')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.try-out__btn').click()
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/albums')
    await operation.locator('.execute').click()
    const request = await sent
    expect(request.headers().accept).to.equal('application/vnd.api+json')
    const response = operation.locator('.live-responses-table .response-col_description .highlight-code code').first()
    await response.waitFor()
    const document = JSON.parse(await response.innerText())
    expect(document.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '2'])
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true })
  })

  it('switches to the document of another server', async () => {
    await page.locator('.topbar select').selectOption({ label: 'admin' })
    await page.locator('.opblock-tag[data-tag="Users"]').waitFor()
  })

  it('logs no error or warning, and sends requests only to the service', () => {
    expect(problems).to.deep.equal([])
    expect([...hosts]).to.deep.equal([url])
  })
})
