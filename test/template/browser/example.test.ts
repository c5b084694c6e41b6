import { expect } from 'chai'
import type { Browser, Page, Route } from 'playwright-core'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { launchBrowser, measureOverflow, type ObservedPage, openPage, phone } from '#test/template/support/browser.ts'
import { type ExampleServer, startExample } from '../../../examples/browser/server.ts'

// The front end of examples/browser in a real browser, against the running catalogue.

describe('Example front end in a browser', () => {
  let browser: Browser
  let example: ExampleServer
  let client: Client
  let observed: ObservedPage
  let page: Page

  before(async () => {
    client = (await catalogue()).client
    example = await startExample(client.url)
    browser = await launchBrowser()
  })
  beforeEach(async () => {
    markDirty()
    observed = await openPage(browser)
    page = observed.page
    await page.goto(example.url)
    await shown('OK Computer').waitFor()
  })
  afterEach(() => page.close())
  after(async () => {
    await browser?.close()
    example?.server.closeAllConnections()
    example?.server.close()
  })

  const titles = () => page.locator('#albums strong').allInnerTexts()
  const shown = (title: string) => page.locator('#albums strong', { hasText: title })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const requestLog = () => page.locator('#request-log li').allTextContents()
  const change = (attributes: object) => client.patch('/albums/1', { data: { type: 'albums', id: '1', attributes } })
  /** Opens the dialog and waits for it: it is shown when the album was read. */
  const openDialog = async (title: string) => {
    await button(`Edit ${title}`).click()
    const dialog = page.getByRole('dialog', { name: 'Edit album' })
    await dialog.waitFor()
    return dialog
  }
  const albumsNamed = async (title: string) => {
    const { body } = await client.get(`/albums?filter[title]=${encodeURIComponent(title)}`)
    return body.data.length
  }

  it('lists the albums with their artists, and filters them by title and artist', async () => {
    expect(await page.locator('#albums li').first().innerText()).to.match(/OK Computer\s+Radiohead\s+May 21, 1997/)
    await page.getByRole('searchbox', { name: 'Title' }).fill('dum')
    await shown('OK Computer').waitFor({ state: 'detached' })
    expect(await titles()).to.deep.equal(['Dummy'])
    await page.getByRole('searchbox', { name: 'Artist' }).fill('Radiohead')
    await page.getByText('No album matches.').waitFor()
    await page.getByRole('searchbox', { name: 'Title' }).fill('')
    await shown('OK Computer').waitFor()
    await page.getByLabel('Sort').selectOption('Title')
    expect(observed.problems).to.deep.equal([])
    expect([...observed.origins]).to.deep.equal([example.url])
  })

  it('shows the next and the previous page', async () => {
    for (const number of [1, 2, 3, 4]) {
      await client.post('/albums', { data: { type: 'albums', attributes: { title: `Album ${number}` } } })
    }
    await page.getByLabel('Sort').selectOption('Title')
    await shown('Album 4').waitFor()
    expect(await titles()).to.deep.equal(['Album 1', 'Album 2', 'Album 3', 'Album 4', 'Dummy'])
    expect(await button('Previous').isDisabled()).to.equal(true)
    await button('Next').click()
    await page.getByText('Page 2').waitFor()
    expect(await titles()).to.deep.equal(['OK Computer'])
    expect(await button('Next').isDisabled()).to.equal(true)
    await button('Previous').click()
    await page.getByText('Page 1').waitFor()
    expect(await titles()).to.have.length(5)
  })

  it('merges a change with that of another user after a 412', async () => {
    const dialog = await openDialog('OK Computer')
    await change({ title: 'OKNOTOK', status: 'withdrawn' })
    await dialog.getByLabel('Title').fill('OK Computer (remastered)')
    await dialog.getByLabel('Explicit').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Not saved').waitFor()

    const title = dialog.getByRole('group', { name: 'Title' })
    const status = dialog.getByRole('group', { name: 'Status' })
    expect(await title.getByLabel('OKNOTOK').isChecked()).to.equal(false)
    expect(await title.getByLabel('Yours: OK Computer (remastered)').isChecked()).to.equal(false)
    expect(await status.getByLabel('Saved by the other user: withdrawn').isChecked()).to.equal(true)
    await screenshot('conflict')
    await title.getByLabel('Yours').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await shown('OK Computer (remastered)').waitFor()
    expect(await button('Edit OK Computer (remastered)').evaluate((found) => found.matches(':focus'))).to.equal(true)

    const { attributes } = (await client.get('/albums/1')).body.data
    expect(attributes).to.include({ title: 'OK Computer (remastered)', status: 'withdrawn', explicit: true })
    expect(await page.getByRole('status').innerText()).to.equal('“OK Computer (remastered)” was saved.')
  })

  it('requires a choice for a field that both users have changed, and takes the value of the other user', async () => {
    const dialog = await openDialog('OK Computer')
    await change({ title: 'OKNOTOK' })
    await dialog.getByLabel('Title').fill('OK')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Not saved').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    expect(await dialog.locator(':invalid').count()).to.be.above(0)
    await dialog.getByLabel('Saved by the other user').check()
    expect(await dialog.locator('[name=title]').inputValue()).to.equal('OKNOTOK')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await shown('OKNOTOK').waitFor()
  })

  it('saves a change when another user has changed an attribute that is not in the form', async () => {
    const dialog = await openDialog('OK Computer')
    await change({ availableUntil: '2040-01-01' })
    await dialog.getByLabel('Title').fill('OKNOTOK')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await shown('OKNOTOK').waitFor()
    const { attributes } = (await client.get('/albums/1')).body.data
    expect(attributes).to.include({ title: 'OKNOTOK', availableUntil: '2040-01-01' })
  })

  it('saves a change whose response is lost, without a 412', async () => {
    await page.getByText('Requests').click()
    await page.getByLabel('Lose the response to the next write').check()
    const dialog = await openDialog('OK Computer')
    await dialog.getByLabel('Title').fill('OKNOTOK')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await shown('OKNOTOK').waitFor()
    expect((await requestLog()).filter((line) => line.startsWith('PATCH'))).to.have.length(2)
    await page.getByText('stored response').waitFor()
  })

  it('creates one album when the connection is lost after the request was sent', async () => {
    const keys = await loseResponses(1)
    await createAlbum('In Rainbows', 'Radiohead')
    await shown('In Rainbows').waitFor()
    expect(await albumsNamed('In Rainbows')).to.equal(1)
    expect(new Set(keys).size).to.equal(1)
    const [list, repeated = '', first] = await requestLog()
    expect(list).to.match(/^GET \/albums\?.* → 200$/)
    expect(repeated).to.match(/^POST \/albums, key \w{8} → 201, stored response$/)
    expect(first).to.equal(repeated.replace('201, stored response', 'no response'))
  })

  it('creates one album when the user tries again after all attempts of the client', async () => {
    const keys = await loseResponses(3)
    await createAlbum('In Rainbows', 'Radiohead')
    const dialog = page.getByRole('dialog', { name: 'New album' })
    await dialog.getByText('The server did not answer.').waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await shown('In Rainbows').waitFor()
    expect(await albumsNamed('In Rainbows')).to.equal(1)
    expect(keys).to.have.length(4)
    expect(new Set(keys).size).to.equal(1)
  })

  it('loses a response by its checkbox, and creates one album', async () => {
    await page.getByText('Requests').click()
    await page.getByLabel('Lose the response to the next write').check()
    await createAlbum('In Rainbows', 'Radiohead')
    await shown('In Rainbows').waitFor()
    expect(await albumsNamed('In Rainbows')).to.equal(1)
    await page.getByText('stored response').waitFor()
  })

  it('shows validation errors at their fields', async () => {
    await createAlbum('x'.repeat(201), 'None')
    const dialog = page.getByRole('dialog', { name: 'New album' })
    await dialog.locator('.field-problem').waitFor()
    expect(await dialog.locator('.field-problem').innerText()).to.include('200')
    expect(await dialog.locator('[name=title]').getAttribute('aria-invalid')).to.equal('true')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await dialog.isVisible()).to.equal(false)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`fits a phone in ${colorScheme} colors, also with a dialog`, async () => {
      await page.emulateMedia({ colorScheme })
      await screenshot(`${colorScheme}-desktop`)
      await page.setViewportSize(phone)
      expect(await measureOverflow(page)).to.equal(0)
      await screenshot(`${colorScheme}-phone`)
      await openDialog('Dummy')
      expect(await measureOverflow(page)).to.equal(0)
      await screenshot(`${colorScheme}-phone-edit`)
      expect(observed.problems).to.deep.equal([])
    })
  }

  it('serves no other files of the project', async () => {
    for (const path of [
      '/package.json',
      '/examples/browser/../../package.json',
      '/examples/browser/missing.ts',
      '/.env',
    ]) {
      expect((await fetch(example.url + path)).status, path).to.equal(404)
    }
  })

  async function createAlbum(title: string, artist: string): Promise<void> {
    await button('New album').click()
    const dialog = page.getByRole('dialog', { name: 'New album' })
    await dialog.locator('option', { hasText: 'Radiohead' }).waitFor({ state: 'attached' })
    await dialog.getByLabel('Title').fill(title)
    await dialog.getByLabel('Artist').selectOption(artist)
    await dialog.getByRole('button', { name: 'Create' }).click()
  }

  /** Drops the first responses to `POST /albums` after the service has sent them. Returns the keys of all attempts. */
  async function loseResponses(count: number): Promise<string[]> {
    const keys: string[] = []
    await page.route('**/api/albums', async (route: Route) => {
      const key = route.request().headers()['idempotency-key']
      if (key === undefined) return route.continue()
      const response = await route.fetch()
      keys.push(key)
      return keys.length > count ? route.fulfill({ response }) : route.abort('connectionreset')
    })
    return keys
  }

  async function screenshot(name: string): Promise<void> {
    const { SCREENSHOTS } = process.env
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true })
  }
})
