import { expect } from 'chai'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { load } from '../../../examples/recipes/sveltekit.ts'

// The recipes of docs/typescript-client.md, called as the libraries call them.

describe('Recipes for the TypeScript client', () => {
  const context = { signal: new AbortController().signal }
  let recipes: typeof import('../../../examples/recipes/tanstack-query.ts')
  before(async () => {
    process.env.API_URL = (await catalogue()).client.url
    recipes = await import('../../../examples/recipes/tanstack-query.ts')
  })
  beforeEach(markDirty)
  after(() => {
    delete process.env.API_URL
  })

  it('TanStack Query: query functions return rows, and reject if the signal is aborted', async () => {
    const albums = await recipes.albumsQuery('computer').queryFn(context)
    expect(albums.map(({ title, artist }) => [title, artist?.name])).to.deep.equal([['OK Computer', 'Radiohead']])
    const aborted = recipes.albumQuery('1').queryFn({ signal: AbortSignal.abort() })
    expect(await aborted.catch((error: Error) => error.name)).to.equal('AbortError')
  })

  it('TanStack Query: pages of an infinite query have the number of the next page until the last', async () => {
    const { initialPageParam, queryFn, getNextPageParam } = recipes.albumPagesQuery(1)
    const first = await queryFn({ ...context, pageParam: initialPageParam })
    const next = getNextPageParam(first, [], initialPageParam)
    expect(next).to.equal(2)
    const second = await queryFn({ ...context, pageParam: next ?? 0 })
    expect(getNextPageParam(second, [], 2)).to.equal(undefined)
    expect(first.data[0]?.id).not.to.equal(second.data[0]?.id)
  })

  it('TanStack Query: mutations fail with 412 after another change, and create once with the same key', async () => {
    const album = await recipes.albumQuery('1').queryFn(context)
    await recipes.renameAlbum.mutationFn({ album, title: 'OKNOTOK' })
    const error = await recipes.renameAlbum.mutationFn({ album, title: 'OK' }).catch((caught) => caught)
    expect(error.status).to.equal(412)
    const attempt = () => recipes.createAlbum.mutationFn({ key: 'form-1', title: 'In Rainbows' })
    expect((await attempt()).id).to.equal((await attempt()).id)
  })

  it('SvelteKit: the load function returns rows that can be serialized', async () => {
    const { albums } = await load({ fetch, url: new URL('http://localhost/albums?title=dum') })
    expect(structuredClone(albums)[0]).to.deep.include({ type: 'albums', id: '2', title: 'Dummy' })
  })
})
