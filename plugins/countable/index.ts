import type { Plugin } from '#kernel'

export const countableProfileUri = 'https://haddowg.github.io/json-api/profiles/countable/'

declare module '#kernel' {
  interface ToManyWords<Entity> {
    /** Its size may be asked for in `withCount`. */
    countable(): this
  }
  interface FieldOptions {
    countable?: boolean
  }
  interface ResourceWords<Entity> {
    /** The size of the collection may be asked for with `withCount=_self_`. */
    readonly countable?: boolean
  }
}

/** `withCount=tracks,_self_`: sizes on demand, and the profile that announces them. */
export function countable(): Plugin {
  return {
    name: 'countable',
    keys: ['countable'],
    modifiers: { relation: { countable: () => ({ options: { countable: true } }) } },
    dormant: ['countable'],
    profiles: [countableProfileUri],
  }
}
