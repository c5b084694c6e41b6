import { expect } from 'chai'
import { plugins as listed } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { startApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Tag } from '#test/template/support/library/entities.ts'
import { declared, inLibrary } from '../library-app.ts'
import { fillLibrary, redTag } from '../library-rows.ts'
import { expectError, expectHttpError } from '../support.ts'

// https://jsonapi.org/format/1.1/#crud-deleting

describe('Deleting resources', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('DEL-01 returns 200 with a document without data when a hook returns meta', async () => {
    const cancelling: Plugin = {
      name: 'cancelling',
      plan: addSteps({
        afterCommit: ({ kind }) =>
          kind === 'Delete' ? { kind: 'meta', status: 200, meta: { cancelled: true } } : undefined,
      }),
      describe({ operations, refer }) {
        for (const { kind, successes } of operations) {
          if (kind === 'Delete') successes.set(200, { description: 'Cancelled.', schema: refer('MetaDocument') })
        }
      },
    }
    const app = await startApp({ plugins: [...listed, cancelling] })
    try {
      const { status, body } = await app.client.delete('/tracks/1')
      expect(status).to.equal(200)
      expect(body).to.deep.equal({
        links: { self: `${app.client.url}/tracks/1` },
        meta: { cancelled: true },
        jsonapi: { version: '1.1' },
      })
    } finally {
      await app.close()
    }
  })

  it('DEL-03 returns 204 without a body and deletes the resource', async () => {
    const { status, text, headers } = await client.delete('/tracks/1')
    expect(status).to.equal(204)
    expect(text).to.equal('')
    expect(headers.get('content-type')).to.equal(null)
    expectError(await client.get('/tracks/1'), 404, 'RESOURCE_NOT_FOUND')
    expect((await client.get('/albums/1/relationships/tracks')).body.data).to.have.length(2)
  })

  it('DEL-03 ignores a request body', async () => {
    expect((await client.delete('/tracks/1', { data: { type: 'nope', id: '2' } })).status).to.equal(204)
    expect((await client.get('/tracks/2')).status).to.equal(200)
    expect((await client.delete('/tracks/3', '{{')).status).to.equal(204)
  })

  it('DEL-03 deletes a resource that is the inverse side of a one-to-one relation', async () => {
    await fillLibrary()
    await inLibrary({}, async ({ client: writer }) => {
      expect((await writer.delete('/shelves/2')).status).to.equal(204)
      expectError(await writer.get('/shelves/2'), 404, 'RESOURCE_NOT_FOUND')
    })
  })

  it('DEL-04 returns 404 when the resource does not exist or is hidden', async () => {
    await client.delete('/tracks/1')
    for (const path of ['/tracks/1', '/tracks/nope', '/tracks/99999999999', '/albums/3']) {
      expectError(await client.delete(path), 404, 'RESOURCE_NOT_FOUND')
    }
  })

  it('DEL-04 returns 409 and keeps the resource when other resources refer to it', async () => {
    for (const path of ['/artists/1', '/albums/1']) {
      const response = await client.delete(path)
      expectError(response, 409, 'CONFLICT')
      expect(response.body.errors[0].detail).not.to.equal('')
      expect((await client.get(path)).status).to.equal(200)
    }
  })

  it('DEL-04 returns 405 when the type has no delete operation', async () => {
    await fillLibrary()
    const tags = defineResource(Tag, {
      type: 'tags',
      operations: ['FetchOne'],
      fields: ({ id, string }) => [id(), string('name')],
    })
    await inLibrary({ resources: declared(tags) }, async ({ client: writer }) => {
      expectHttpError(await writer.delete(`/tags/${redTag}`), 405, 'Method Not Allowed')
      expect((await writer.get(`/tags/${redTag}`)).status).to.equal(200)
    })
  })

  it('DEL-04 returns 405 for a collection', async () => {
    expectHttpError(await client.delete('/tracks'), 405, 'Method Not Allowed')
  })
})
