import { createComments, patchTitles } from '../blog/work-items.ts'
import { adminHeaders } from '../measured-service.ts'
import { get, numbers, patch, post, type WorkRequest } from '../work-items.ts'

/** Requests of one kind whose calls are counted. */
export interface CountedItem {
  readonly name: string
  /** They are sent one after the other; a short list is repeated. */
  readonly requests: readonly WorkRequest[]
}

/** What is counted in a schema. The demo needs the rows of its seeds only. */
export async function countedItems(schema: string): Promise<readonly CountedItem[]> {
  return schema === 'blog' ? blogItems : demoItems(await adminHeaders())
}

const blogItems: readonly CountedItem[] = [
  read('/articles/5001'),
  read('/articles?page[size]=50'),
  read('/articles?fields[articles]=title,publishedAt&sort=-publishedAt&page[size]=50'),
  read('/articles/5001/comments?page[size]=10'),
  read('/articles?page[size]=50&include=author,comments,tags'),
  { name: 'POST /comments', requests: createComments },
  { name: 'PATCH /articles/{id}', requests: patchTitles },
  {
    name: 'DELETE /comments/{id}',
    requests: numbers(1, 200).map((id) => ({ method: 'DELETE', path: `/comments/${id}` })),
  },
]

function demoItems(headers: WorkRequest['headers']): readonly CountedItem[] {
  const asAdmin = (request: WorkRequest) => ({ ...request, headers: { ...request.headers, ...headers } })
  const track = {
    type: 'tracks',
    attributes: { title: 'Benchmark', trackNumber: 3 },
    relationships: { album: { data: { type: 'albums', id: '1' } } },
  }
  const rename = (title: string) => patch('/albums/1', { type: 'albums', id: '1', attributes: { title } })
  return [
    read('/artists/1'),
    read('/albums/1'),
    read('/albums/1?include=artist'),
    read('/albums'),
    read('/tracks?filter[genres]=jazz'),
    { name: 'POST /tracks', requests: [asAdmin(post('/tracks', { data: track }))] },
    { name: 'PATCH /albums/1', requests: ['Record', 'Album'].map((title) => asAdmin(rename(title))) },
  ]
}

function read(path: string): CountedItem {
  return { name: `GET ${path}`, requests: [get(path)] }
}
