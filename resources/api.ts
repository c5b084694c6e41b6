import type { ApiOf } from '#plugins/client-types/api-of.ts'

/** The resource folders; written by `npm run client:types`. */
interface Folders {
  readonly 'album-reissues': {
    readonly resource: typeof import('./album-reissues/resource.ts').default
  }
  readonly albums: {
    readonly resource: typeof import('./albums/resource.ts').default
    readonly actions: {
      readonly artwork: typeof import('./albums/actions/artwork.ts').default
      readonly reissue: typeof import('./albums/actions/reissue.ts').default
    }
  }
  readonly artists: {
    readonly resource: typeof import('./artists/resource.ts').default
  }
  readonly 'catalog-exports': {
    readonly resource: typeof import('./catalog-exports/resource.ts').default
  }
  readonly charts: {
    readonly resource: typeof import('./charts/resource.ts').default
  }
  readonly countries: {
    readonly resource: typeof import('./countries/resource.ts').default
  }
  readonly devices: {
    readonly resource: typeof import('./devices/resource.ts').default
  }
  readonly 'export-jobs': {
    readonly resource: typeof import('./export-jobs/resource.ts').default
  }
  readonly favorites: {
    readonly resource: typeof import('./favorites/resource.ts').default
  }
  readonly genres: {
    readonly resource: typeof import('./genres/resource.ts').default
  }
  readonly libraries: {
    readonly resource: typeof import('./libraries/resource.ts').default
  }
  readonly playlists: {
    readonly resource: typeof import('./playlists/resource.ts').default
  }
  readonly products: {
    readonly resource: typeof import('./products/resource.ts').default
  }
  readonly 'public-profiles': {
    readonly resource: typeof import('./public-profiles/resource.ts').default
  }
  readonly releases: {
    readonly resource: typeof import('./releases/resource.ts').default
  }
  readonly tracks: {
    readonly resource: typeof import('./tracks/resource.ts').default
  }
  readonly users: {
    readonly resource: typeof import('./users/resource.ts').default
  }
}

/** The API of a server, for `createClient<Api>()` of clients/typescript. */
export type Api<Server extends string = 'default'> = ApiOf<Folders, Server, { CONFLICT: 409; RESOURCE_NOT_FOUND: 404 }>
