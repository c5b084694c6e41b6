import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { configFrom } from '#test/template/support/config-from.ts'

const long = '/albums?include=artist,tracks'
const short = '/genres/none'

describe('The plugin compression', () => {
  let client: Client
  before(async () => {
    client = (await catalogue()).client
  })

  it('compresses a long response in an encoding that the client accepts', async () => {
    const plain = await raw(client, long)
    expect(plain.headers['content-encoding']).to.equal(undefined)
    expect(Number(plain.headers['content-length'])).to.equal(plain.body.length)
    const gzip = await raw(client, long, 'gzip')
    expect(gzip.headers['content-encoding']).to.equal('gzip')
    expect(gzip.body.length).to.be.below(plain.body.length / 2)
    expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true)
    const brotli = await raw(client, long, 'gzip;q=0.5, br')
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).to.equal(true)
    expect(gzip.headers['content-type']).to.equal(plain.headers['content-type'])
  })

  it('holds a compressed response, not the document, for a client that does not read it', async () => {
    const { headers, body } = await raw(client, long, 'gzip')
    expect(Number(headers['content-length'])).to.equal(body.length)
  })

  it('does not compress short responses, nor when the client accepts no supported encoding', async () => {
    for (const [path, encoding] of [
      [short, 'gzip'],
      [long, 'compress'],
      [long, 'identity'],
      [long, 'gzip;q=0'],
    ] as const) {
      const { headers } = await raw(client, path, encoding)
      expect(headers['content-encoding'], `${path} ${encoding}`).to.equal(undefined)
    }
  })

  for (const encoding of [
    'identity;q=0',
    '*;q=0',
    'identity;q=0, gzip;q=0',
    'a/b;q=-1',
    'a;q=-1;x="',
    'identity;x=",br";q=0',
    '*;q=x',
    'identity;q=x',
    'identity;q=x;y="',
    ', ;q=0;',
  ]) {
    it(`does not compress when Accept-Encoding accepts nothing: ${encoding}`, async () => {
      const { status, headers, body } = await raw(client, long, encoding)
      expect([status, headers['content-encoding']]).to.deep.equal([200, undefined])
      expect(JSON.parse(body.toString()).data).to.be.an('array')
      expect(headers.vary).to.include('Accept-Encoding')
    })
  }

  it('compresses in the other encodings when Accept-Encoding excludes identity', async () => {
    const accepted = { 'identity;q=0, gzip': 'gzip', 'gzip;q=0.001, identity;q=0': 'gzip', 'deflate, *;q=0': 'deflate' }
    for (const [sent, encoding] of Object.entries(accepted)) {
      expect((await raw(client, long, sent)).headers['content-encoding'], sent).to.equal(encoding)
    }
    expect((await raw(client, long, 'gzip;q=0.2, identity;q=0.5')).headers['content-encoding']).to.equal(undefined)
  })

  for (const [path, encoding] of [
    [long, 'gzip'],
    [long, 'gzip, br'],
    [long, '*'],
    [long, 'identity;q=0'],
    [long, undefined],
    [short, 'gzip'],
    ['/docs.json', 'gzip'],
    ['/errors', 'gzip'],
    ['/nowhere', 'gzip'],
  ] as const) {
    it(`returns for HEAD ${path} with Accept-Encoding: ${encoding} the headers of GET`, async () => {
      const [get, head] = [await raw(client, path, encoding), await raw(client, path, encoding, 'HEAD')]
      expect(head.body.length).to.equal(0)
      expect([head.status, stableHeaders(head)]).to.deep.equal([get.status, stableHeaders(get)])
    })
  }

  it('returns 304 for HEAD with the ETag of the compressed GET, and the ETag of GET otherwise', async () => {
    const path = '/albums/1?include=artist,tracks'
    const [get, head] = [await raw(client, path, 'gzip'), await raw(client, path, 'gzip', 'HEAD')]
    expect(head.headers.etag)
      .to.equal(get.headers.etag)
      .and.to.match(/-gzip"$/)
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': String(get.headers.etag) }
    expect((await client.send('HEAD', path, { headers })).status).to.equal(304)
  })

  it('adds Accept-Encoding to Vary, compressed or not', async () => {
    for (const encoding of [undefined, 'gzip']) {
      for (const path of [long, short]) {
        const vary = (await raw(client, path, encoding)).headers.vary?.split(', ')
        expect(vary).to.include('Accept-Encoding').and.to.include('Accept')
      }
    }
  })

  it('compresses from COMPRESSION_THRESHOLD bytes on, and never when it is 0', async () => {
    for (const [threshold, expected] of [
      ['100000', undefined],
      ['0', undefined],
      ['1', 'gzip'],
    ] as const) {
      const app = await startApp({ config: configFrom({ COMPRESSION_THRESHOLD: threshold }) })
      const { headers } = await raw(app.client, '/genres', 'gzip')
      expect(headers['content-encoding'], threshold).to.equal(expected)
      if (threshold === '0') expect(headers.vary).not.to.match(/Accept-Encoding/)
      await app.close()
    }
  })
})

interface RawResponse {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Sends a request without decompression of the response. */
function raw({ url }: Client, path: string, encoding?: string, method = 'GET'): Promise<RawResponse> {
  const headers = { accept: mediaType, ...(encoding !== undefined && { 'accept-encoding': encoding }) }
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) })
    })
    sent.on('error', reject).end()
  })
}

/** Without those that differ from response to response, or describe the connection. */
function stableHeaders({ headers }: RawResponse): object {
  const {
    date: _date,
    'x-request-id': _id,
    'server-timing': _timing,
    'transfer-encoding': _coding,
    ...compared
  } = headers
  return compared
}
