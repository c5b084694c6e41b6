import { expect } from 'chai'
import { projectApp } from '#test/support/app.ts'

describe('Links of the page at /', () => {
  it('lead to URLs that answer', async () => {
    const { client } = await projectApp()
    const page = await read(client.url)
    const links = [...page.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    const urls = links.map((href) => new URL(href, client.url).href).filter((url) => url.startsWith(client.url))
    expect(urls).to.have.length.greaterThan(2)
    for (const url of urls) await read(url)
  })
})

/** A type may require a token. */
async function read(url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: 'text/html, */*;q=0.1' } })
  expect(response.status, url).to.be.oneOf([200, 401, 403])
  return response.text()
}
