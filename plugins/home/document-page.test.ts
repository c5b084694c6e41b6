import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import { startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const jsonApi = 'application/vnd.api+json'
const htmlType = 'text/html; charset=utf-8'

describe('A JSON:API document in a browser', () => {
  let url: string
  before(async () => {
    url = (await catalogue()).client.url
  })

  for (const [accept, type] of [
    [browser, htmlType],
    ['text/html, */*;q=0.1', htmlType],
    ['text/html, application/*;q=0.5', htmlType],
    [`text/html, ${jsonApi};q=0.9`, htmlType],
    ['text/html;q=0.9, */*;q=0.8', htmlType],
    [undefined, jsonApi],
    ['*/*', jsonApi],
    [jsonApi, jsonApi],
    ['application/json, text/plain, */*', jsonApi],
    ['text/html, */*', jsonApi],
    ['*/*, text/html;q=0.9', jsonApi],
    [`text/html, ${jsonApi}`, jsonApi],
    [`text/html;q=0.1, ${jsonApi};q=0.9`, jsonApi],
    ['text/html;q=0, */*;q=0.8', jsonApi],
  ] as const) {
    it(`has the type ${type} for Accept: ${accept ?? '(none)'}`, async () => {
      const { status, headers } = await get('/albums/1', accept === undefined ? {} : { accept })
      expect([status, headers.get('content-type')]).to.deep.equal([200, type])
      expect(headers.get('vary')).to.match(/\bAccept\b/)
    })
  }

  for (const accept of ['text/html', 'text/html, image/png', `text/html, ${jsonApi};charset=utf-8;q=0.5, */*;q=0.1`]) {
    it(`is a 406 document for Accept: ${accept}`, async () => {
      const { status, headers } = await get('/albums/1', { accept })
      expect([status, headers.get('content-type')]).to.deep.equal([406, jsonApi])
    })
  }

  it('shows the same document, indented, with its links as anchors', async () => {
    const [json, page] = [await get('/albums/1'), await get('/albums/1', { accept: browser })]
    expect(JSON.parse(toText(page.text))).to.deep.equal(JSON.parse(json.text))
    expect(page.text).to.include(`&quot;self&quot;: <a href="${url}/albums/1">&quot;${url}/albums/1&quot;</a>`)
    expect(toText(page.text)).to.match(/^\{\n {2}"/)
    expect(page.text).to.include('<title>200 GET /albums/1</title>')
  })

  it('shows error documents with their status', async () => {
    for (const [path, status] of [
      ['/albums/4711', 404],
      ['/albums?nope=1', 400],
      ['/operations', 405],
      ['/playlists/00000000-0000-4000-8000-000000000001/owner?nope', 401],
    ] as const) {
      const page = await get(path, { accept: browser, ...(status === 401 && { authorization: 'Bearer unknown' }) })
      expect([page.status, page.headers.get('content-type')], path).to.deep.equal([status, htmlType])
      expect(JSON.parse(toText(page.text)).errors[0].status).to.equal(String(status))
      expect(page.headers.get('vary')).to.match(/\bAccept\b/)
    }
  })

  it('allows no script and no request in its Content-Security-Policy', async () => {
    const policy = (await get('/albums', { accept: browser })).headers.get('content-security-policy') ?? ''
    expect(policy).to.match(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; img-src data:; /)
    expect(policy).not.to.include('unsafe')
  })

  it('escapes the URL of the request, which is part of its links', async () => {
    const { text, status } = await get(`/albums?fields[albums]=%3Cscript%3E&"><script>alert(1)</script>='`, {
      accept: browser,
    })
    expect(status).to.equal(400)
    expect(text).not.to.match(/<script/i)
  })

  it('has no ETag, and is not a 304 for the tag of the JSON:API representation', async () => {
    const tag = (await get('/albums/1')).headers.get('etag') as string
    const page = await get('/albums/1', { accept: browser, 'if-none-match': tag })
    expect([page.status, page.headers.get('etag')]).to.deep.equal([200, null])
    expect((await get('/albums/1', { 'if-none-match': tag })).status).to.equal(304)
  })

  it('has the same headers for HEAD', async () => {
    const [page, head] = [
      await get('/albums/1', { accept: browser }),
      await get('/albums/1', { accept: browser }, 'HEAD'),
    ]
    expect([head.status, head.text]).to.deep.equal([200, ''])
    for (const name of ['content-type', 'content-length', 'vary', 'content-security-policy', 'cache-control']) {
      expect(head.headers.get(name), name).to.equal(page.headers.get(name))
    }
  })

  it('does not change the response to a write', async () => {
    const { headers, status } = await get('/albums', { accept: browser, 'content-type': jsonApi }, 'POST', '{}')
    expect([status, headers.get('content-type')]).to.deep.equal([400, jsonApi])
  })

  it('escapes every value, and links only to http and https', async () => {
    const hostile = `</pre><script>alert("1'&")</script>`
    const linking: Plugin = {
      name: 'linking',
      plan: addSteps({
        document(_request, document) {
          document.meta = { [hostile]: hostile }
          document.links = {
            ...document.links,
            next: `https://a.example/${hostile}`,
            prev: 'javascript:alert(1)',
          } as never
        },
      }),
    }
    const { client, close } = await startApp({ plugins: [...plugins, linking] })
    const { text } = await get('/albums/1', { accept: browser }, 'GET', '', client.url)
    await close()
    expect(text).not.to.match(/<script|<\/pre>.*<\/pre>/s)
    expect(text).to.include('<a href="https://a.example/&lt;/pre&gt;&lt;script&gt;')
    expect(text).not.to.include('href="javascript')
    expect(JSON.parse(toText(text)).meta).to.deep.equal({ [hostile]: hostile })
  })

  it('is sent as JSON:API when it is larger than a megabyte', async () => {
    const large: Plugin = {
      name: 'large',
      plan: addSteps({
        document(_request, document) {
          document.meta = { filler: 'x'.repeat(1_100_000) }
        },
      }),
    }
    const { client, close } = await startApp({ plugins: [...plugins, large] })
    const { headers } = await get('/albums/1', { accept: browser }, 'GET', '', client.url)
    await close()
    expect(headers.get('content-type')).to.equal(jsonApi)
  })

  it('is sent as JSON:API when the plugin home is disabled', async () => {
    const { client, close } = await startApp({ disabled: ['home'] })
    const { status, headers } = await get('/albums/1', { accept: browser }, 'GET', '', client.url)
    await close()
    expect([status, headers.get('content-type')]).to.deep.equal([200, jsonApi])
  })

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET', body = '', base = url) {
    const { pathname, search } = new URL(base + path)
    const sent = request(base, { method, path: pathname + search, headers }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const text = await response.toArray().then((chunks) => Buffer.concat(chunks).toString())
    return { status: response.statusCode, headers: new Headers(response.headers as Record<string, string>), text }
  }
})

/** The text of the element `pre`. */
function toText(html: string): string {
  const [, content = ''] = /<pre[^>]*>(.*)<\/pre>/s.exec(html) ?? []
  const entities: Readonly<Record<string, string>> = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' }
  return content.replace(/<[^>]*>/g, '').replace(/&(quot|#39|lt|gt|amp);/g, (_, name) => entities[name] as string)
}
