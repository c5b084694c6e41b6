import { applicationError } from '../errors/core-errors.ts'
import type { Persister } from './persister.ts'
import type { Provider } from './provider.ts'

const unavailable = async (): Promise<never> => {
  throw applicationError()
}

/** The provider of a type that is only rendered. Every read throws. */
export const noProvider: Provider = {
  one: unavailable,
  many: unavailable,
  collection: unavailable,
  count: unavailable,
  related: unavailable,
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
