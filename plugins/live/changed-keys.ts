import type { ResourceType } from '#kernel/plugin'
import { parseKey } from '#plugins/change-log/index.ts'

/** The keys of the changed resources of a type, as texts of the change log. */
export class ChangedKeys {
  readonly #keys: string[] = []
  #ids: ReadonlySet<string> | null = null

  add(key: string): void {
    this.#keys.push(key)
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#keys.values()
  }

  /** Whether the resource with this id on the wire has changed. The ids are encoded once for all streams. */
  hasId(type: ResourceType, id: string): boolean {
    this.#ids ??= new Set(this.#keys.map((key) => type.codec.encode(parseKey(type, key))))
    return this.#ids.has(id)
  }
}
