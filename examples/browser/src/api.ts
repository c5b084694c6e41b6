import { createClient, type Row } from '../../../clients/typescript/src/index.ts'
import type { Api } from '../../../resources/api.ts'
import { loggedFetch } from './request-log.ts'

/** The client. The server of the example forwards `/api` to the service, so that the page and the API have one origin. */
export const api = createClient<Api>({ url: '/api', fetch: loggedFetch })

/** An album with the name of its artist. */
export type Album = Row<Api['types'], 'albums', 'artist', { artists: ['name'] }>
