import { expect } from 'chai'
import { plugins as listed } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { atomicMediaType, atomicUri, cursorUri, expectError, sendRaw } from './support.ts'

// https://jsonapi.org/format/1.1/#content-negotiation

const foreign = 'https://example.com/unknown'
const artist = { data: { type: 'artists', attributes: { name: 'Björk' } } }
const batch = { 'atomic:operations': [{ op: 'add', data: artist.data }] }
const byContentType = { header: 'Content-Type' }
const byAccept = { header: 'Accept' }

describe('Content negotiation', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    library = await startLibrary()
  })

  after(() => library.close())

  const postAs = (contentType: string) => client.post('/artists', artist, { 'content-type': contentType })
  const getAs = (accept: string) => client.get('/artists', { accept })
  const runAs = (headers: Record<string, string>) => client.post('/operations', batch, headers)

  describe('responses', () => {
    it('NEG-01 sets the JSON:API media type on successes and errors', async () => {
      const responses = [
        await client.get('/artists'),
        await client.get('/artists/nope'),
        await client.post('/artists', '{'),
        await client.post('/artists', artist),
      ]
      for (const { headers } of responses) expect(headers.get('content-type')).to.equal(mediaType)
    })

    it('NEG-02 sets no charset parameter', async () => {
      const { headers } = await client.get('/artists')
      expect(headers.get('content-type')).not.to.contain('charset')
    })

    it('NEG-03 returns the applied extension in Content-Type and in jsonapi.ext', async () => {
      const { status, headers, body } = await runAs({ 'content-type': atomicMediaType, accept: atomicMediaType })
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal(`${mediaType}; ext="${atomicUri}"`)
      expect(body.jsonapi.ext).to.deep.equal([atomicUri])
    })

    it('NEG-04 returns the applied profile in Content-Type and in jsonapi.profile when it was not requested', async () => {
      const { headers, body } = await library.client.get('/books')
      expect(headers.get('content-type')).to.equal(`${mediaType}; profile="${cursorUri}"`)
      expect(body.jsonapi.profile).to.deep.equal([cursorUri])
    })

    it('NEG-04 returns no profile with an error', async () => {
      const { status, headers } = await library.client.get('/books?sort=nope')
      expect(status).to.equal(400)
      expect(headers.get('content-type')).to.equal(mediaType)
    })

    it('NEG-05 separates the URIs of two profiles with one space in one parameter', async () => {
      const second = 'https://example.com/second'
      const stamping: Plugin = {
        name: 'stamping',
        profiles: [second],
        plan: addSteps({ begin: (request) => void request.appliedProfiles.add(second) }),
      }
      const stamped = await startLibrary({ plugins: [...listed, stamping] })
      try {
        const { headers } = await stamped.client.get('/books')
        expect(headers.get('content-type')).to.equal(`${mediaType}; profile="${cursorUri} ${second}"`)
      } finally {
        await stamped.close()
      }
    })

    it('NEG-22 lists Accept in Vary for every status', async () => {
      const created = await client.post('/artists', artist)
      const responses = [
        created,
        await client.get('/artists'),
        await client.send('HEAD', '/artists'),
        await client.send('OPTIONS', '/artists'),
        await client.get('/artists/nope'),
        await client.send('PUT', '/artists'),
        await getAs('text/html'),
        await postAs('text/plain'),
        await client.delete(`/artists/${created.body.data.id}`),
      ]
      expect(responses.map(({ status }) => status)).to.deep.equal([201, 200, 200, 204, 404, 405, 406, 415, 204])
      for (const { headers } of responses) expect(headers.get('vary')).to.match(/\bAccept\b/)
    })

    it('NEG-27 returns an unexpected error as 500 with the JSON:API media type', async () => {
      const failing: Plugin = {
        name: 'failing',
        plan: addSteps({
          begin() {
            throw new Error('out of order')
          },
        }),
      }
      const broken = await startApp({ plugins: [...listed, failing] })
      try {
        const { status, headers } = await broken.client.get('/artists')
        expect(status).to.equal(500)
        expect(headers.get('content-type')).to.equal(mediaType)
        expect(headers.get('vary')).to.match(/\bAccept\b/)
      } finally {
        await broken.close()
      }
    })
  })

  describe('Content-Type', () => {
    for (const parameters of ['charset=utf-8', 'version=1', 'q=1', `profile="${cursorUri}"; charset=utf-8`]) {
      it(`NEG-06 returns 415 for a parameter other than ext and profile: ${parameters}`, async () => {
        expectError(await postAs(`${mediaType}; ${parameters}`), 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
      })
    }

    it('NEG-07 returns 415 for an unknown extension', async () => {
      expectError(await postAs(`${mediaType}; ext="${foreign}"`), 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })

    it('NEG-07 returns 415 for an unknown extension beside a supported one', async () => {
      const contentType = `${mediaType}; ext="${atomicUri} ${foreign}"`
      const response = await runAs({ 'content-type': contentType, accept: atomicMediaType })
      expectError(response, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })

    it('NEG-07 returns 415 for a supported extension at an endpoint that does not use it', async () => {
      expectError(await postAs(atomicMediaType), 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })

    it('NEG-07 returns 415 when the extension URI has no quotes', async () => {
      expectError(await postAs(`${mediaType}; ext=${atomicUri}`), 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })

    it('NEG-08 ignores an unknown profile', async () => {
      const { status, headers } = await postAs(`${mediaType}; profile="${foreign}"`)
      expect(status).to.equal(201)
      expect(headers.get('content-type')).to.equal(mediaType)
    })

    it('NEG-08 treats an empty ext and an empty profile as absent', async () => {
      expect((await postAs(`${mediaType}; ext=""; profile=""`)).status).to.equal(201)
    })

    it('NEG-08 ignores empty parameters', async () => {
      for (const parameters of [';', '; ', ' ; ;', ';; profile="https://example.com/;;" ;', ';ext="";']) {
        expect((await postAs(mediaType + parameters)).status, parameters).to.equal(201)
      }
      expectError(await postAs(`${mediaType};; charset=utf-8;`), 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
      const response = await runAs({ 'content-type': `${atomicMediaType};`, accept: `${atomicMediaType} ; ;` })
      expect(response.status).to.equal(200)
    })

    it('NEG-09 returns 415 for a parameter of the JSON:API media type on a request without a body', async () => {
      const response = await client.get('/artists', { 'content-type': `${mediaType}; charset=utf-8` })
      expectError(response, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
      const removal = await client.delete('/artists/2', undefined, { 'content-type': `${mediaType}; version=1` })
      expectError(removal, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })

    it('NEG-09 ignores another media type on a request without a body', async () => {
      expect((await client.get('/artists', { 'content-type': 'text/plain' })).status).to.equal(200)
    })

    it('NEG-09 checks the media type of a body when the method ignores the body', async () => {
      const send = (contentType: string) => {
        const headers = { 'content-type': contentType, 'content-length': '2' }
        return sendRaw(client.url, { path: '/artists', headers, body: '{{' })
      }
      expect((await send('text/plain')).status).to.equal(415)
      expect((await send(mediaType)).status).to.equal(200)
    })

    for (const contentType of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense']) {
      it(`NEG-10 returns 415 for a body with Content-Type ${contentType}`, async () => {
        expectError(await postAs(contentType), 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
      })
    }

    it('NEG-10 returns 415 for a body without Content-Type', async () => {
      const headers = { accept: mediaType }
      const { status, body } = await sendRaw(client.url, {
        method: 'POST',
        path: '/artists',
        headers,
        body: JSON.stringify(artist),
      })
      expect(status).to.equal(415)
      expect(body.errors[0].source).to.deep.equal(byContentType)
    })

    it('NEG-10 returns 415 before it checks the body, the relationship or the method', async () => {
      const headers = { 'content-type': 'application/json' }
      for (const [method, path] of [
        ['POST', '/artists'],
        ['PATCH', '/albums/1/relationships/nope'],
        ['PUT', '/artists'],
      ] as const) {
        const response = await client.send(method, path, { headers, body: '{' })
        expectError(response, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
      }
    })

    it('NEG-23 ignores jsonapi.ext and jsonapi.profile of a request body', async () => {
      const response = await client.post('/artists', { ...artist, jsonapi: { ext: [foreign], profile: [foreign] } })
      expect(response.status).to.equal(201)
      expect(response.body.jsonapi).to.deep.equal({ version: '1.1' })
    })

    it('NEG-24 compares type, subtype and parameter names of Content-Type case-insensitively', async () => {
      expect((await postAs('Application/Vnd.Api+JSON')).status).to.equal(201)
      const upper = `APPLICATION/VND.API+JSON; EXT="${atomicUri}"`
      expect((await runAs({ 'content-type': upper, accept: upper })).status).to.equal(200)
    })

    it('NEG-24 compares the URI of an extension case-sensitively', async () => {
      const contentType = `${mediaType}; ext="${atomicUri.toUpperCase()}"`
      const response = await runAs({ 'content-type': contentType, accept: atomicMediaType })
      expectError(response, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })
  })

  describe('Accept', () => {
    it('NEG-11 ignores instances with an unsupported parameter when another instance is acceptable', async () => {
      const { status, headers } = await getAs(`${mediaType}; charset=utf-8, ${mediaType}`)
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal(mediaType)
    })

    const unacceptable = {
      'NEG-12 when the only instance has an unsupported parameter': `${mediaType}; charset=utf-8`,
      'NEG-12 when every instance has an unsupported parameter': `${mediaType}; a=b, ${mediaType}; c=d`,
      'NEG-13 when the only instance names an unknown extension': `${mediaType}; ext="${foreign}"`,
      'NEG-13 when an unknown extension stands beside a supported one': `${mediaType}; ext="${atomicUri} ${foreign}"`,
      'NEG-13 when the endpoint does not use a supported extension': atomicMediaType,
      'NEG-14 when each instance is unacceptable for another reason': `${mediaType}; charset=utf-8, ${mediaType}; ext="${foreign}"`,
      'NEG-15 when the media type is excluded by a weight of zero': `${mediaType};q=0`,
      'NEG-17 when neither the media type nor a wildcard is named': 'text/html, application/json',
      'NEG-18 when all instances are unacceptable beside a wildcard': `${mediaType}; charset=utf-8, */*`,
      'NEG-18 when the media type is excluded beside a wildcard': `${mediaType};q=0, */*`,
      'NEG-18 when the wildcard is excluded': '*/*;q=0',
      'NEG-18 when the wildcard is of another type': 'text/*',
    }
    for (const [name, accept] of Object.entries(unacceptable)) {
      const [id, ...rest] = name.split(' ')
      it(`${id} returns 406 ${rest.join(' ')}`, async () => {
        expectError(await getAs(accept), 406, 'MEDIA_TYPE_UNACCEPTABLE', byAccept)
      })
    }

    it('NEG-14 returns 200 without an extension when one instance is acceptable', async () => {
      const { status, headers } = await getAs(`${mediaType}; ext="${foreign}", ${mediaType};q=0.1`)
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal(mediaType)
    })

    it('NEG-15 treats q as a weight', async () => {
      for (const accept of [`${mediaType};q=0.8`, `${mediaType}; q=1.0`, `text/html, ${mediaType};q=0.001`]) {
        expect((await getAs(accept)).status, accept).to.equal(200)
      }
    })

    it('NEG-16 returns plain JSON:API for wildcards', async () => {
      for (const accept of ['*/*', 'application/*', 'text/html;q=0.1, */*']) {
        const { status, headers } = await getAs(accept)
        expect(status, accept).to.equal(200)
        expect(headers.get('content-type')).to.equal(mediaType)
      }
    })

    it('NEG-16 returns plain JSON:API when Accept is absent or empty', async () => {
      for (const headers of [{}, { accept: '' }]) {
        const response = await sendRaw(client.url, { path: '/artists', headers })
        expect(response.status).to.equal(200)
        expect(response.headers['content-type']).to.equal(mediaType)
      }
    })

    it('NEG-20 applies a registered profile that is requested, with or without its trailing slash', async () => {
      for (const uri of [cursorUri, cursorUri.slice(0, -1)]) {
        const { headers } = await library.client.get('/books', { accept: `${mediaType}; profile="${uri}"` })
        expect(headers.get('content-type')).to.equal(`${mediaType}; profile="${cursorUri}"`)
      }
    })

    it('NEG-21 ignores an unknown profile', async () => {
      const { status, headers, body } = await getAs(`${mediaType}; profile="${foreign}"`)
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal(mediaType)
      expect(body.jsonapi).not.to.have.property('profile')
    })

    it('NEG-21 treats an empty ext and an empty profile as absent', async () => {
      expect((await getAs(`${mediaType}; ext=""; profile=""`)).status).to.equal(200)
    })

    it('NEG-21 ignores empty parameters', async () => {
      for (const accept of [`${mediaType};`, `${mediaType};;q=0.5;`, `text/html;, ${mediaType}; ;`, '*/*;']) {
        expect((await getAs(accept)).status, accept).to.equal(200)
      }
      for (const accept of [`${mediaType};; charset=utf-8`, `${mediaType};=`, `${mediaType};;q=0`]) {
        expectError(await getAs(accept), 406, 'MEDIA_TYPE_UNACCEPTABLE', byAccept)
      }
      const { headers } = await library.client.get('/books', { accept: `${mediaType};; profile="${cursorUri}" ;` })
      expect(headers.get('content-type')).to.equal(`${mediaType}; profile="${cursorUri}"`)
    })

    it('NEG-24 compares type, subtype and parameter names of Accept case-insensitively', async () => {
      expect((await getAs(`APPLICATION/Vnd.Api+Json; Profile="${foreign}"; Q=0.5`)).status).to.equal(200)
    })

    it('NEG-12 returns 415 when both Content-Type and Accept are unacceptable', async () => {
      const response = await client.post('/artists', artist, { 'content-type': 'text/plain', accept: 'text/html' })
      expectError(response, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
    })

    it('NEG-12 returns 406 for a write and does not run it', async () => {
      expectError(
        await client.delete('/tracks/4', undefined, { accept: 'text/html' }),
        406,
        'MEDIA_TYPE_UNACCEPTABLE',
        byAccept,
      )
      expect((await client.get('/tracks/4')).status).to.equal(200)
    })
  })

  describe('POST /operations', () => {
    it('NEG-19 applies the extension when Content-Type and Accept name it', async () => {
      const { status, headers } = await runAs({ 'content-type': atomicMediaType, accept: atomicMediaType })
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal(atomicMediaType)
    })

    for (const contentType of [
      mediaType,
      `${mediaType}; ext=""`,
      'application/json',
      `${atomicMediaType}; charset=utf-8`,
    ]) {
      it(`NEG-19 returns 415 without the extension when Content-Type is ${contentType}`, async () => {
        const response = await runAs({ 'content-type': contentType, accept: atomicMediaType })
        expectError(response, 415, 'MEDIA_TYPE_UNSUPPORTED', byContentType)
        expect(response.headers.get('content-type')).to.equal(mediaType)
      })
    }

    for (const accept of [
      mediaType,
      '*/*',
      'application/*',
      `${mediaType}; ext="${foreign}"`,
      `${atomicMediaType};q=0`,
    ]) {
      it(`NEG-19 returns 406 without the extension when Accept is ${accept}`, async () => {
        const response = await runAs({ 'content-type': atomicMediaType, accept })
        expectError(response, 406, 'MEDIA_TYPE_UNACCEPTABLE', byAccept)
        expect(response.headers.get('content-type')).to.equal(mediaType)
      })
    }

    it('NEG-19 returns 406 when Accept is absent', async () => {
      const headers = { 'content-type': atomicMediaType }
      const body = JSON.stringify(batch)
      const { status } = await sendRaw(client.url, { method: 'POST', path: '/operations', headers, body })
      expect(status).to.equal(406)
    })

    it('NEG-19 returns 200 when one instance of Accept among several is acceptable', async () => {
      const accept = `text/html, ${mediaType}, ${atomicMediaType};q=0.1`
      expect((await runAs({ 'content-type': atomicMediaType, accept })).status).to.equal(200)
    })

    it('NEG-03 returns the extension in Content-Type with its other errors', async () => {
      const headers = { 'content-type': atomicMediaType, accept: atomicMediaType }
      const responses = [
        await client.post('/operations', '{', headers),
        await client.post('/operations', {}, headers),
        await client.post('/operations?nope=1', batch, headers),
        await client.post('/operations', { 'atomic:operations': [{ op: 'add', data: { type: 'nope' } }] }, headers),
        await client.send('PATCH', '/operations', { headers, body: batch }),
      ]
      expect(responses.map(({ status }) => status)).to.deep.equal([400, 400, 400, 404, 405])
      for (const response of responses)
        expect(response.headers.get('content-type'), response.text).to.equal(atomicMediaType)
    })
  })
})
