import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { catalogue } from '#test/support/catalogue.ts'
import { accessibilityFaults } from '#test/template/support/accessibility.ts'
import { launchBrowser, measureOverflow, type ObservedPage, openPage, phone } from '#test/template/support/browser.ts'

// The documentation page in a real browser.

describe('Documentation page in a browser', () => {
  let browser: Browser
  let observed: ObservedPage
  let page: Page
  let url: string

  before(async () => {
    url = (await catalogue()).client.url
    browser = await launchBrowser()
    observed = await openPage(browser)
    page = observed.page
    await open(page)
  })
  after(() => browser?.close())

  async function open(target: Page): Promise<void> {
    await target.goto(`${url}/docs`)
    await target.waitForSelector('.opblock-tag')
  }

  const operationAt = (target: Page, method: string, path: string) =>
    target.locator(`.opblock-${method}:has([data-path="${path}"])`)

  async function expand(target: Page, method: string, path: string, tag = 'Catalog') {
    const operation = operationAt(target, method, path)
    if (!(await operation.isVisible())) await target.locator(`.opblock-tag[data-tag="${tag}"]`).click()
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.try-out__btn').waitFor()
    return operation
  }

  it('shows only the tags at first: no operation, and less than 1,000 nodes', async () => {
    const { tags } = JSON.parse(await (await fetch(`${url}/docs.json`)).text())
    const shown = await page
      .locator('.opblock-tag')
      .evaluateAll((all) => all.map((tag) => tag.getAttribute('data-tag')))
    expect(shown).to.have.members(tags.map(({ name }: { name: string }) => name))
    expect(await page.locator('.opblock').count()).to.equal(0)
    expect(await page.locator('*').count()).to.be.below(1000)
  })

  it('has no margin around it, and lists the development tokens', async () => {
    expect(await page.locator('.topbar').evaluate((bar) => bar.getBoundingClientRect().x)).to.equal(0)
    const tokens = await page.locator('.hints code').allInnerTexts()
    expect(await accessibilityFaults(page, '#documentation *')).to.deep.equal([])
    expect(tokens).to.deep.equal(['admin', 'ada@example.com', 'mallory@example.com'])
  })

  it('expands an operation, executes GET /albums with the JSON:API media type, and shows both albums', async () => {
    const operation = await expand(page, 'get', '/albums')
    await operation.locator('.try-out__btn').click()
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/albums')
    await operation.locator('.execute').click()
    const request = await sent
    expect(request.headers().accept).to.equal('application/vnd.api+json')
    const response = operation.locator('.live-responses-table .response-col_description .highlight-code pre').first()
    await response.waitFor()
    const document = JSON.parse(await response.innerText())
    expect(document.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '2'])
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true })
  })

  it('opens an operation with one resolution of references, less than 1,000 nodes and seven screens', async () => {
    const { page: fresh } = await openPage(browser)
    await open(fresh)
    await fresh.locator('.opblock-tag[data-tag="Catalog"]').click()
    await fresh.coverage.startJSCoverage()
    const operation = await expand(fresh, 'get', '/albums')
    const calls = countCalls(await fresh.coverage.stopJSCoverage(), '/start.js')
    expect(calls('resolveSubtree')).to.equal(1)
    expect(calls('resolve')).to.be.within(100, 5000)
    expect(await operation.locator('*').count()).to.be.below(1000)
    expect((await operation.boundingBox())?.height).to.be.below(7 * 900)
    await fresh.close()
  })

  it('resolves the same references as Swagger UI', async () => {
    const { page: unmodified } = await openPage(browser)
    await unmodified.route('**/start.js', async (route) => {
      const source = await (await route.fetch()).text()
      const changed = source.replace(/(?<=plugins: \[.*), resolver/, '')
      expect(changed).not.to.equal(source)
      await route.fulfill({ body: changed, contentType: 'text/javascript' })
    })
    await open(unmodified)
    for (const path of [
      ['paths', '/albums', 'get'],
      ['components', 'securitySchemes'],
    ]) {
      const [ours, theirs] = await resolveBoth(unmodified, path)
      expect(JSON.stringify(ours)).to.have.length.above(50)
      expect(comparable(ours), path.join(' ')).to.deep.equal(comparable(theirs))
    }
    await unmodified.close()
  }).timeout(240_000)

  it('switches to the document of another server', async () => {
    await page.locator('.topbar select').selectOption({ label: 'admin' })
    await page.locator('.opblock-tag[data-tag="Users"]').waitFor()
  })

  it('sends the token after a reload', async () => {
    await open(page)
    await page.locator('.btn.authorize').click()
    await page.locator('.auth-container input').fill('admin')
    await page.locator('.auth-btn-wrapper .authorize').click()
    await page.reload()
    await page.waitForSelector('.opblock-tag')
    const operation = await expand(page, 'get', '/albums')
    await operation.locator('.try-out__btn').click()
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/albums')
    await operation.locator('.execute').click()
    expect((await sent).headers().authorization).to.equal('Bearer admin')
  })

  it('fits the width of a phone, also with an expanded operation', async () => {
    const narrow = await openPage(browser, phone)
    await open(narrow.page)
    expect(await measureOverflow(narrow.page)).to.equal(0)
    const operation = await expand(narrow.page, 'get', '/albums/{id}/relationships/tracks')
    expect(await measureOverflow(narrow.page)).to.equal(0)
    const summary = await operation.locator('.opblock-summary-description').boundingBox()
    expect(summary?.width).to.be.above(200)
    expect(narrow.problems).to.deep.equal([])
  })

  it('logs no error or warning, and sends requests only to the service', () => {
    expect(observed.problems).to.deep.equal([])
    expect([...observed.origins]).to.deep.equal([url])
  })
})

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

type Coverage = Awaited<ReturnType<Page['coverage']['stopJSCoverage']>>

/** Returns how often the functions of a script were called, by name. */
function countCalls(coverage: Coverage, script: string): (name: string) => number {
  const functions = coverage.filter(({ url }) => url.endsWith(script)).flatMap((entry) => entry.functions)
  return (name) =>
    functions
      .filter(({ functionName }) => functionName === name)
      .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
}

/** Resolves the references of a part of the document by the script of the page and by Swagger UI. */
async function resolveBoth(page: Page, path: readonly string[]): Promise<[ours: Json, theirs: Json]> {
  const both: string = await page.evaluate(`(async () => {
    const whole = ui.specSelectors.specJson().toJS()
    const path = ${JSON.stringify(path)}
    const { spec } = await ui.fn.resolveSubtree(whole, path, { baseDoc: ui.specSelectors.url() })
    return JSON.stringify([resolvePart(whole, path).spec, spec])
  })()`)
  return JSON.parse(both)
}

/** Without what Swagger UI changes otherwise: ids of operations, origins of components, the order of parameters, merged `allOf`. */
function comparable(value: Json): Json {
  if (Array.isArray(value)) return value.map(comparable)
  if (value === null || typeof value !== 'object') return value
  const { $$ref, operationId, __originalOperationId, allOf, ...members } = value as Record<string, Json>
  const resolved = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, comparable(member)]))
  const merged = ((allOf ?? []) as Json[]).map(comparable).reduce(merge, resolved) as Record<string, Json>
  if (Array.isArray(merged.parameters)) {
    merged.parameters = (merged.parameters as { name: string }[]).toSorted((left, right) =>
      left.name.localeCompare(right.name),
    )
  }
  return merged
}

/** Merges two schemas. */
function merge(left: Json, right: Json): Json {
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return right
  const merged = { ...left } as Record<string, Json>
  for (const [name, member] of Object.entries(right)) {
    const former = merged[name]
    merged[name] = former === undefined ? member : merge(former, member)
  }
  return merged
}
