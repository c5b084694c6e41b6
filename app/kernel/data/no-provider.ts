import { applicationError } from '../errors/core-errors.ts'
import type { Persister } from './persister.ts'
import type { Provider } from './provider.ts'

const unavailable = async (): Promise<never> => {
  throw applicationError()
}

/** The provider of a type that is only rendered: it has no rows of its own. */
export const noProvider: Provider = {
  one: async () => null,
  many: async () => [],
  collection: async (_type, query) => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) }),
  count: async () => 0,
  related: async (_relation, parents, query) =>
    parents.map(() => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) })),
}

export const noPersister: Persister = {
  transactional: false,
  load: unavailable,
  create: unavailable,
  change: unavailable,
  remove: unavailable,
  flush: unavailable,
  relate: unavailable,
  keyOf: () => undefined,
}
