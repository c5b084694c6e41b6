import { api } from './api.ts'

// Options for TanStack Query 5, which are the same in React, Vue, Svelte and Solid: `useQuery(albumsQuery('ok'))`.

/** The part of the context of a query function that the client uses. */
interface Context {
  readonly signal: AbortSignal
}

export const albumsQuery = (title: string) => ({
  queryKey: ['albums', 'list', { title }],
  queryFn: async ({ signal }: Context) => {
    const { data } = await api.albums.list({ filter: { title }, include: ['artist'], signal })
    return data
  },
  retry: false, // the client retries
})

export const albumQuery = (id: string) => ({
  queryKey: ['albums', 'one', id],
  queryFn: ({ signal }: Context) => api.albums.get(id, { signal }),
  retry: false,
})

/** For `useInfiniteQuery`. */
export const albumPagesQuery = (size: number) => ({
  queryKey: ['albums', 'pages', { size }],
  initialPageParam: 1,
  queryFn: async ({ pageParam, signal }: Context & { readonly pageParam: number }) => {
    const { data, links } = await api.albums.list({ page: { number: pageParam, size }, signal })
    return { data, hasNext: Boolean(links.next) }
  },
  getNextPageParam: (last: { readonly hasNext: boolean }, _pages: readonly unknown[], number: number) =>
    last.hasNext ? number + 1 : undefined,
  retry: false,
})

/** For `useMutation`. `album` is the data of `albumQuery`. */
export const renameAlbum = {
  mutationFn: ({ album, title }: { album: Album; title: string }) =>
    api.albums.update(album.id, { title }, { ifMatch: album.$etag }),
}
type Album = Awaited<ReturnType<ReturnType<typeof albumQuery>['queryFn']>>

/** `key` is created with the form: a second attempt of the user has the same key. */
export const createAlbum = {
  mutationFn: ({ key, title }: { key: string; title: string }) => api.albums.create({ title }, { idempotencyKey: key }),
}
