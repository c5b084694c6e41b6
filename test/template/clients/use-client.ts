import createClient from 'openapi-fetch'
import type { paths } from './generated/default.ts'

const mediaType = 'application/vnd.api+json'
const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/** Uses a client that is generated from the OpenAPI document. The compiler checks every name. */
export async function useClient(baseUrl: string) {
  const client = createClient<paths, typeof mediaType | typeof atomic>({
    baseUrl,
    headers: { Accept: mediaType },
    querySerializer: { array: { style: 'form', explode: false }, object: { style: 'deepObject', explode: true } },
  })
  const asJsonApi = { headers: { 'Content-Type': mediaType } }

  const filtered = await client.GET('/albums', {
    params: { query: { 'filter[title]': 'computer', sort: ['-releasedAt', 'title'], page: { size: 5 } } },
  })
  const included = await client.GET('/albums/{id}', {
    params: { path: { id: '1' }, query: { include: ['artist', 'tracks'], 'fields[tracks]': ['title'] } },
  })
  const created = await client.POST('/albums', {
    ...asJsonApi,
    body: {
      data: {
        type: 'albums',
        attributes: { title: 'Third', status: 'upcoming' },
        relationships: { artist: { data: { type: 'artists', id: '2' } } },
      },
    },
  })
  const id = created.data?.data.id ?? ''
  const updated = await client.PATCH('/albums/{id}', {
    ...asJsonApi,
    params: { path: { id } },
    body: { data: { type: 'albums', id, attributes: { status: 'released' } } },
  })
  const added = await client.POST('/albums/{id}/relationships/tracks', {
    ...asJsonApi,
    params: { path: { id } },
    body: { data: [{ type: 'tracks', id: '4' }] },
  })
  const batch = await client.POST('/operations', {
    headers: { 'Content-Type': atomic, Accept: atomic },
    body: {
      'atomic:operations': [
        {
          op: 'add',
          data: { type: 'artists', lid: 'a', attributes: { name: 'Massive Attack', slug: 'massive-attack' } },
        },
        {
          op: 'add',
          data: {
            type: 'albums',
            attributes: { title: 'Mezzanine' },
            relationships: { artist: { data: { type: 'artists', lid: 'a' } } },
          },
        },
      ],
    },
  })
  const refused = await client.POST('/albums', {
    ...asJsonApi,
    body: { data: { type: 'albums', attributes: { title: '' } } },
  })
  const titles = (filtered.data?.data ?? []).map(({ attributes }) => attributes?.title)
  return {
    titles,
    included: (included.data?.included ?? []).map((resource) => `${resource.type} ${resource.id}`),
    created: created.response.status,
    status: updated.data?.data.attributes?.status,
    members: (added.data?.data ?? []).map((member) => member.id),
    results: (batch.data?.['atomic:results'] ?? []).map((result) => result.data?.type),
    faults: (refused.error?.errors ?? []).map((error) => error.source?.pointer),
  }
}
