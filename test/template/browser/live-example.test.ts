import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { root } from '#test/support/app.ts'
import { type Client, createClient } from '#test/support/client.ts'
import { launchBrowser, measureOverflow, type ObservedPage, openPage, phone } from '#test/template/support/browser.ts'
import { compiledCode } from '#test/template/support/run-node.ts'
import { unset } from '../../../scripts/support/unset.ts'

// npm run example:live, its page in a real browser.

const laptop = { width: 1366, height: 768 }

describe('Example of live collections in a browser', () => {
  let browser: Browser
  let child: ChildProcess
  let client: Client
  let observed: ObservedPage
  let page: Page

  before(async () => {
    const args = ['--no-warnings', 'examples/live/serve.ts', '--port', '0', '--service-port', '0']
    const env = { PATH: process.env.PATH, ...compiledCode(), ...unset() }
    child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')
    const [, url = '', service = ''] = /^(\S+) shows the albums of (\S+)/.exec(line) ?? []
    client = createClient(service, () => {})
    browser = await launchBrowser()
    observed = await openPage(browser, laptop)
    page = observed.page
    await page.goto(url)
  })
  after(async () => {
    await browser?.close()
    child?.kill('SIGKILL')
  })

  const albums = () => page.locator('#albums strong').allInnerTexts()
  const changes = () => page.locator('#changes li').allInnerTexts()
  const shown = (title: string) => page.locator('#albums strong', { hasText: title })

  const inViewport = async (selector: string) => {
    const { y = 0, height = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
    return height > 0 && y >= 0 && y + height <= laptop.height
  }

  it('shows an album that another client creates, changes and deletes, without a reload, on the screen of a laptop', async () => {
    await shown('OK Computer').waitFor()
    const before = await albums()
    expect(await changes()).to.deep.equal([])
    expect(await page.locator('#status').innerText()).to.equal('Connected')

    const artist = { data: { type: 'artists', id: '1' } }
    const document = { type: 'albums', attributes: { title: 'Weird Fishes' }, relationships: { artist } }
    const created = await client.post('/albums', { data: document })
    expect(created.status, created.text).to.equal(201)
    const { id } = created.body.data
    await shown('Weird Fishes').waitFor()
    expect(await page.locator('#albums li.added').innerText()).to.match(/^Weird Fishes\s+Radiohead/)

    const attributes = { title: 'Weird Fishes (remastered)' }
    expect((await client.patch(`/albums/${id}`, { data: { type: 'albums', id, attributes } })).status).to.equal(200)
    await shown('Weird Fishes (remastered)').waitFor()
    expect(await page.locator('#albums li.changed').count()).to.equal(1)
    for (const selector of ['#albums li.changed', '#changes li'])
      expect(await inViewport(selector), selector).to.equal(true)
    await screenshot('changed', false)

    expect((await client.send('DELETE', `/albums/${id}`)).status).to.equal(204)
    await shown('Weird Fishes').waitFor({ state: 'detached' })
    expect(await albums()).to.deep.equal(before)
    expect((await changes()).map((text) => text.split(',')[0])).to.deep.equal([
      'removed: Weird Fishes (remastered)',
      'changed: Weird Fishes (remastered)',
      'added: Weird Fishes',
    ])
    expect(observed.problems).to.deep.equal([])
  })

  it('fits a phone, in both color schemes', async () => {
    await page.setViewportSize(phone)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await measureOverflow(page)).to.equal(0)
      await screenshot(colorScheme)
    }
  })

  it('shows that the connection is lost', async () => {
    child.kill('SIGKILL')
    await page.locator('#status', { hasText: 'Connecting' }).waitFor()
  })

  async function screenshot(name: string, fullPage = true): Promise<void> {
    const { SCREENSHOTS } = process.env
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/live-${name}.png`, fullPage })
  }
})
