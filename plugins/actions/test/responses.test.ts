import { expect } from 'chai'
import { data, error, meta, noContent, seeOther } from '#plugins/actions/index.ts'
import { AcceptedForProcessing } from '#plugins/async-writes/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { type ShelfOverrides, shelfLocked, startShelves } from '#test/template/support/library/shelves.ts'

describe('Actions: handler and response', () => {
  let library: TestApp
  const start = async (overrides: ShelfOverrides) => {
    library = await startShelves(overrides)
    return library.client
  }
  afterEach(() => library.close())
  after(emptyLibrary)

  it('saves the subject and returns it with include and fields when the handler returns data()', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('rename', {
          answers: 'data',
          handle({ subject }) {
            subject.name = 'Prose'
            return data(subject)
          },
        }),
      ],
    })
    const { status, body } = await client.send('POST', '/shelves/1/-actions/rename?include=books&fields[books]=title')
    expect(status).to.equal(200)
    expect(body.data.attributes).to.deep.equal({ name: 'Prose' })
    expect(body.included).to.have.length(1)
    expect(body.links.self).to.contain('/shelves/1/-actions/rename')
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Prose')
  })

  it('returns a resource of another type for answers: { data }', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('fill', {
          answers: { data: 'books' },
          async handle({ subject, unit }) {
            const book = unit.em.create(Book, { title: 'Howl', shelf: subject })
            await unit.em.flush()
            return data(book)
          },
        }),
      ],
    })
    const { status, body } = await client.send('POST', '/shelves/2/-actions/fill?include=shelf')
    expect(status).to.equal(200)
    expect(body.data).to.deep.include({ type: 'books', attributes: { title: 'Howl' } })
    expect(body.included[0]).to.include({ type: 'shelves', id: '2' })
  })

  it('returns meta, 204, 303 and 202 as declared', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('count', { on: 'collection', answers: 'meta', handle: () => meta({ shelves: 2 }) }),
        action('dust', { answers: 'noContent', handle: () => noContent() }),
        action('next', { answers: 'seeOther', handle: () => seeOther({ type: 'shelves', id: 2 }) }),
        action('docs', { on: 'collection', answers: 'seeOther', handle: () => seeOther('/books') }),
        action('move', {
          answers: { accepted: 'books' },
          handle: () => AcceptedForProcessing.poll('/books/1').withJob({ id: 1 }, 'books').withRetryAfter(5),
        }),
      ],
    })
    const post = (path: string) => client.send('POST', `/shelves/${path}`)
    expect((await post('-actions/count')).body.meta).to.deep.equal({ shelves: 2 })
    expect((await post('1/-actions/dust')).status).to.equal(204)
    const next = await post('1/-actions/next')
    expect([next.status, next.headers.get('location')]).to.deep.equal([303, `${client.url}/shelves/2`])
    expect((await post('-actions/docs')).headers.get('location')).to.equal(`${client.url}/books`)
    const moved = await post('1/-actions/move')
    expect([moved.status, moved.headers.get('retry-after')]).to.deep.equal([202, '5'])
    expect(moved.headers.get('content-location')).to.equal(`${client.url}/books/1`)
    expect(moved.body.data).to.include({ type: 'books', id: '1' })
  })

  it('rolls back and returns the errors when the handler returns error()', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('rename', {
          answers: 'noContent',
          async handle({ subject, unit }) {
            subject.name = 'Prose'
            await unit.em.flush()
            return error(shelfLocked())
          },
        }),
      ],
    })
    const { status, body } = await client.send('POST', '/shelves/1/-actions/rename')
    expect(status).to.equal(423)
    expect(body.errors).to.deep.equal([
      { status: '423', code: 'SHELF_LOCKED', title: 'Shelf is locked', detail: 'The shelf is locked.' },
    ])
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Fiction')
  })

  it('rolls back and responds by the exception map of the type when the handler throws', async () => {
    class ShelfFullError extends Error {}
    const client = await start({
      exceptions: [[ShelfFullError, 409]],
      actions: ({ action }) => [
        action('rename', {
          answers: 'noContent',
          async handle({ subject, unit }) {
            subject.name = 'Prose'
            await unit.em.flush()
            throw new ShelfFullError('It is full.')
          },
        }),
      ],
    })
    const { status, body } = await client.send('POST', '/shelves/1/-actions/rename')
    expect(status).to.equal(409)
    expect(body.errors[0].title).to.equal('Conflict')
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Fiction')
  })

  it('returns 409 when the changes of the handler violate a constraint, and keeps none of them', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('tag', {
          answers: 'noContent',
          handle({ subject, unit }) {
            subject.name = 'Prose'
            for (const id of [1, 2])
              unit.em.create(Tag, { id: `00000000-0000-4000-8000-00000000000${id}`, name: 'new' })
            return noContent()
          },
        }),
      ],
    })
    const { status, body } = await client.send('POST', '/shelves/1/-actions/tag')
    expect([status, body.errors[0].code]).to.deep.equal([409, 'CONFLICT'])
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Fiction')
  })

  it('deletes the subject when the handler removes it', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('remove', {
          answers: 'noContent',
          handle({ subject, unit }) {
            unit.em.remove(subject)
            return noContent()
          },
        }),
      ],
    })
    expect((await client.send('POST', '/shelves/2/-actions/remove')).status).to.equal(204)
    expect((await client.get('/shelves/2')).status).to.equal(404)
  })

  it('reads the record without a lock and without a transaction for GET', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('size', {
          method: 'GET',
          answers: 'meta',
          handle: ({ subject }) => meta({ letters: subject.name.length }),
        }),
        action('first', { method: 'GET', on: 'collection', answers: 'data', handle: () => data({ id: 1 }) }),
        action('none', { method: 'GET', on: 'collection', answers: 'data', handle: () => data({ id: 9 }) }),
      ],
    })
    const statements = await statementsOf(async () => {
      expect((await client.get('/shelves/1/-actions/size')).body.meta).to.deep.equal({ letters: 7 })
    })
    expect(statements).to.have.length(1)
    expect(statements[0]?.sql).not.to.match(/for (no key )?update/i)
    expect((await client.get('/shelves/-actions/first')).body.data).to.include({ type: 'shelves', id: '1' })
    expect((await client.get('/shelves/-actions/none')).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    const head = await client.send('HEAD', '/shelves/1/-actions/size')
    expect([head.status, head.text]).to.deep.equal([200, ''])
  })

  it('locks the subject for other methods, and sends three statements for a change', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('rename', {
          method: 'DELETE',
          answers: 'data',
          handle({ subject }) {
            subject.name = 'Prose'
            return data(subject)
          },
        }),
      ],
    })
    const statements = await statementsOf(() => client.delete('/shelves/1/-actions/rename'))
    expect(statements.map(({ sql }) => sql.split(' ')[0])).to.deep.equal(['select', 'update', 'select'])
    expect(statements[0]?.sql).to.match(/for (no key )?update/i)
  })

  it('returns 404 when the subject does not exist', async () => {
    const client = await start({
      actions: ({ action }) => [action('dust', { answers: 'noContent', handle: () => noContent() })],
    })
    for (const id of ['9', 'x']) {
      const { status, body } = await client.send('POST', `/shelves/${id}/-actions/dust`)
      expect([status, body.errors[0].code]).to.deep.equal([404, 'RESOURCE_NOT_FOUND'])
    }
  })

  it('returns 500 when the handler returns an answer that the action does not declare', async () => {
    const client = await start({
      actions: ({ action }) => [
        action('dust', { answers: 'noContent', handle: () => meta({}) as never }),
        action('nothing', { answers: 'noContent', handle: () => undefined as never }),
      ],
    })
    expect((await client.send('POST', '/shelves/1/-actions/dust')).status).to.equal(500)
    expect((await client.send('POST', '/shelves/1/-actions/nothing')).status).to.equal(500)
  })
})
