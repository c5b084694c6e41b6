/** The resources of the music catalogue. */
const types = [
  'album-reissues',
  'albums',
  'artists',
  'catalog-exports',
  'charts',
  'countries',
  'devices',
  'export-jobs',
  'favorites',
  'genres',
  'libraries',
  'playlists',
  'products',
  'public-profiles',
  'releases',
  'tracks',
  'users',
]

/** Folders and files of the demo. Tests that import one of them are removed, too. */
export const demoParts: readonly string[] = [
  ...types.map((type) => `resources/${type}`),
  'examples',
  // Written again for the example.
  'resources/api.ts',
  'test/support/catalogue.ts',
  'test/template/support/catalogue-service.ts',
  'test/template/structure/example.test.ts',
  'test/template/clients',
  'scripts/template/bench',
  'scripts/demo',
]

/** The resource that replaces the demo, so that README.md has an example: `npm run make -- resource …`. */
export const example: readonly string[] = ['notes', 'title:string!:filter:sort', 'body:text', 'pinned:boolean']
