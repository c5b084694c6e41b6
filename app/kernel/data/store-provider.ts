import type { Provider } from './provider.ts'

/** Delegates to the store. A type with a provider of its own adds to it: `{ ...storeProvider, complete }`. */
export const storeProvider: Provider = {
  hidesKeys: true,
  one: (type, key, query, context, options) => context.app.store.provider.one(type, key, query, context, options),
  many: (type, keys, query, context, options) => context.app.store.provider.many(type, keys, query, context, options),
  collection: (type, query, context) => context.app.store.provider.collection(type, query, context),
  count: (type, query, context) => context.app.store.provider.count(type, query, context),
  related: (relation, parents, query, context) => context.app.store.provider.related(relation, parents, query, context),
}
