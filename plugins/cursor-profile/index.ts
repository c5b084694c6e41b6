import type { Plugin } from '#kernel/plugin'
import { cursorProfileUri } from '#plugins/pagination/index.ts'

export { cursor, cursorProfileUri } from '#plugins/pagination/index.ts'

/** The profile of cursor pagination, which responses with a cursor page apply. `pagination` creates the pages. */
export function cursorProfile(): Plugin {
  return { name: 'cursor-profile', requires: ['pagination'], profiles: [cursorProfileUri] }
}
