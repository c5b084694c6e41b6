import type { Resource, ResourceType } from './resource-type.ts'

/** A declaration and the file it stands in. */
export interface DeclaredResource {
  readonly file: string
  readonly resource: Resource
}

/** All resource types, compiled once at boot. */
export interface Registry {
  readonly types: ReadonlyMap<string, ResourceType>
  /** All faults of the declarations; the boot ends when there is one. */
  readonly failures: readonly string[]
  fail(type: Pick<ResourceType, 'name' | 'file'>, member: string | null, message: string): void
}
