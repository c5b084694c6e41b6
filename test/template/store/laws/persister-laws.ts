import { expect } from 'chai'
import { expectError, readIds } from '#test/template/specification/support.ts'
import { type Fixture, type Storage, startFixture, tagId } from './fixture.ts'

/** Tests that every persister must pass, independent of its storage. */
export function persisterLaws(storage: Storage): void {
  describe(`Persister: ${storage}`, () => {
    let fixture: Fixture

    beforeEach(async () => {
      fixture = await startFixture(storage)
    })
    afterEach(() => fixture.close())

    const identifiers = (type: string, ...ids: string[]) => ids.map((id) => ({ type, id }))
    const linkage = async (path: string) => (await fixture.client.get(path)).body.data
    const titleOf = async (id: string) => (await fixture.client.get(`/books/${id}`)).body.data.attributes.title

    it('creates a row with its relationships', async () => {
      const { status, body } = await fixture.client.post('/books', {
        data: {
          type: 'books',
          attributes: { title: 'New', position: 9 },
          relationships: {
            shelf: { data: { type: 'shelves', id: '2' } },
            tags: { data: identifiers('tags', tagId(2)) },
          },
        },
      })
      expect(status).to.equal(201)
      expect(body.data.attributes).to.include({ title: 'New', position: 9, rating: null })
      expect((await linkage(`/books/${body.data.id}/relationships/shelf`)).id).to.equal('2')
      expect(readIds(await linkage(`/books/${body.data.id}/relationships/tags`))).to.deep.equal([tagId(2)])
    })

    it('returns 409 when the id exists already', async () => {
      const data = { type: 'tags', id: tagId(1), attributes: { name: 'again' } }
      const answer = await fixture.client.post('/tags', { data })
      expectError(answer, 409, 'CLIENT_GENERATED_ID_ALREADY_EXISTS', { pointer: '/data/id' })
    })

    it('changes the values that were sent and keeps all other values', async () => {
      const data = { type: 'books', id: '1', attributes: { title: 'Changed', rating: null } }
      expect((await fixture.client.patch('/books/1', { data })).status).to.equal(200)
      const { attributes } = (await fixture.client.get('/books/1')).body.data
      expect(attributes).to.include({ title: 'Changed', rating: null, position: 1 })
    })

    it('deletes a row', async () => {
      expect((await fixture.client.delete('/shelves/3')).status).to.equal(204)
      expectError(await fixture.client.get('/shelves/3'), 404, 'RESOURCE_NOT_FOUND')
      expectError(await fixture.client.delete('/shelves/3'), 404, 'RESOURCE_NOT_FOUND')
    })

    it('returns 404 when the id of the subject or of a member does not exist', async () => {
      const data = { type: 'books', id: '99', attributes: { title: 'x' } }
      expectError(await fixture.client.patch('/books/99', { data }), 404, 'RESOURCE_NOT_FOUND')
      expectError(await fixture.client.delete('/books/99'), 404, 'RESOURCE_NOT_FOUND')
      const members = { data: identifiers('books', '99') }
      const answer = await fixture.client.post('/shelves/1/relationships/books', members)
      expectError(answer, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/0' })
    })

    it('sets and clears a to-one', async () => {
      const path = '/books/1/relationships/shelf'
      await fixture.client.patch(path, { data: { type: 'shelves', id: '3' } })
      expect((await linkage(path)).id).to.equal('3')
      await fixture.client.patch(path, { data: null })
      expect(await linkage(path)).to.equal(null)
    })

    for (const [path, type, ids] of [
      ['/books/3/relationships/tags', 'tags', [tagId(1), tagId(2)]],
      ['/shelves/3/relationships/books', 'books', ['1', '5']],
    ] as const) {
      it(`adds, removes and replaces the members of ${path}`, async () => {
        const [first, second] = ids
        const idsIn = async () => readIds(await linkage(path))
        await fixture.client.patch(path, { data: [] })
        expect(await idsIn()).to.deep.equal([])
        await fixture.client.post(path, { data: identifiers(type, first, second) })
        await fixture.client.post(path, { data: identifiers(type, second) })
        expect(await idsIn()).to.have.members([first, second])
        await fixture.client.delete(path, { data: identifiers(type, first) })
        expect(await idsIn()).to.deep.equal([second])
        await fixture.client.patch(path, { data: identifiers(type, first) })
        expect(await idsIn()).to.deep.equal([first])
      })
    }

    it('writes pivot values with the members, and keeps pivot values that were not sent', async () => {
      const path = '/lists/1/relationships/books'
      const member = (id: string, pivot: object) => ({ type: 'books', id, meta: { pivot } })
      const pivots = async () =>
        Object.fromEntries(
          (await linkage(path)).map(({ id, meta }: { id: string; meta: { pivot: object } }) => [id, meta.pivot]),
        )
      expect((await fixture.client.post(path, { data: [member('5', { place: 7, note: 'new' })] })).status).to.equal(200)
      expect(await pivots()).to.deep.include({ 5: { place: 7, note: 'new' }, 3: { place: 1, note: 'blue' } })
      const replaced = await fixture.client.patch(path, {
        data: [member('3', { place: 4 }), member('1', { place: 2 })],
      })
      expect(replaced.status).to.equal(200)
      expect(await pivots()).to.deep.equal({ 3: { place: 4, note: 'blue' }, 1: { place: 2, note: null } })
    })

    it('rolls back a write that fails after its rows are saved', async () => {
      const attributes = { title: 'Lost' }
      await fixture.failingWrites(async () => {
        const data = { type: 'books', attributes }
        expect((await fixture.client.post('/books', { data })).status).to.equal(500)
        const patch = { data: { type: 'books', id: '1', attributes } }
        expect((await fixture.client.patch('/books/1', patch)).status).to.equal(500)
      })
      expect(await titleOf('1')).to.equal('The first')
      expect((await fixture.client.get('/books')).body.data).to.have.length(5)
    })
  })
}
