import { createClient } from '../../clients/typescript/src/index.ts'
import type { Api } from '../../resources/api.ts'

// A load function of SvelteKit: src/routes/albums/+page.ts.

/** The part of PageLoadEvent that the function uses. */
interface LoadEvent {
  readonly fetch: typeof globalThis.fetch
  readonly url: URL
}

export async function load({ fetch, url }: LoadEvent) {
  const api = createClient<Api>({ url: process.env.API_URL ?? 'http://127.0.0.1:3000', fetch })
  const title = url.searchParams.get('title')
  const { data: albums } = await api.albums.list({ filter: { ...(title && { title }) }, include: ['artist'] })
  return { albums }
}
