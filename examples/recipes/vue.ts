import { onWatcherCleanup, type Ref, shallowRef, watchEffect } from 'vue'
import { api } from './api.ts'

/** The albums with a title. A change of the title aborts the request before it. */
export function useAlbums(title: Ref<string>) {
  const albums = shallowRef<Awaited<ReturnType<typeof request>>>([])
  const error = shallowRef<unknown>(null)

  watchEffect(async () => {
    const aborter = new AbortController()
    onWatcherCleanup(() => aborter.abort())
    try {
      albums.value = await request(title.value, aborter.signal)
      error.value = null
    } catch (caught) {
      if (!aborter.signal.aborted) error.value = caught
    }
  })
  return { albums, error }
}

async function request(title: string, signal: AbortSignal) {
  const { data } = await api.albums.list({ filter: { title }, include: ['artist'], signal })
  return data
}
