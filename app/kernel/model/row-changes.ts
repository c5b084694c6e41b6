import type { Operation } from './operation.ts'
import type { ResourceType } from './resource-type.ts'

/** The rows that an operation has written, for the checks before the commit and the hooks after it. */
export class RowChanges {
  #keys: Map<ResourceType, Set<unknown>> | undefined
  #memberOperations: Operation[] | undefined

  /** Adds a row that was created or changed, and saved. */
  add(type: ResourceType, key: unknown): void {
    this.#keys ??= new Map()
    const keys = this.#keys.get(type) ?? new Set()
    this.#keys.set(type, keys.add(key))
  }

  /** Adds a change or deletion of a row of another resource. */
  addMember(operation: Operation): void {
    this.#memberOperations ??= []
    this.#memberOperations.push(operation)
  }

  /** Returns and removes the keys by type, each once. */
  takeKeys(): readonly (readonly [ResourceType, readonly unknown[]])[] {
    const taken = [...(this.#keys ?? [])].map(([type, keys]) => [type, [...keys]] as const)
    this.#keys = undefined
    return taken
  }

  takeMemberOperations(): readonly Operation[] {
    const taken = this.#memberOperations ?? []
    this.#memberOperations = undefined
    return taken
  }
}
