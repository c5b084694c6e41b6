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
  'test/support/catalogue.ts',
  'test/template/support/catalogue-service.ts',
  'test/template/browser/live-example.test.ts',
  'test/template/structure/example.test.ts',
  'test/template/clients',
  'scripts/template/bench',
]

/** Pages that describe one plugin, and are removed with it. */
export const pagesOfPlugins: Readonly<Record<string, string>> = {
  actions: 'docs/actions.md',
  'async-writes': 'docs/async.md',
  atomic: 'docs/batches.md',
  'change-log': 'docs/change-log.md',
  'client-types': 'docs/typescript-client.md',
  'conditional-requests': 'docs/conditional-requests.md',
  'filter-expressions': 'docs/filter-expressions.md',
  history: 'docs/history.md',
  idempotency: 'docs/idempotency.md',
  live: 'docs/live.md',
  'soft-delete': 'docs/soft-deletes.md',
  tracing: 'docs/tracing.md',
  webhooks: 'docs/webhooks.md',
}

/** Folders and files for maintainers of the template. Tests of plugins are added to them. */
export const maintainersParts: readonly string[] = [
  '.template/codemods',
  'clients/typescript/src',
  'clients/typescript/tsconfig.json',
  'scripts/template',
  'test/template',
]

/** Pages and commands that describe the template instead of a project. */
export const templateParts: readonly string[] = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'docs/comparison.md',
  'docs/decisions',
  'docs/dependencies.md',
  'docs/feature-tests.md',
  'docs/internals',
  'docs/specification.md',
  'examples',
  'scripts/docs',
  'scripts/docs-serve.ts',
  'scripts/init',
  'scripts/init.ts',
]
