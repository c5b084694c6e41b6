import type { Action, OperationKind, Registry, ResourceType } from '#kernel/plugin'

interface DescribedWrite {
  readonly kind: OperationKind
  readonly target: { readonly type: ResourceType; readonly action?: Action | null | undefined }
}

/** Whether the response to a write shows a secret once, so that it is not stored. */
export function showsSecret({ kind, target: { type, action } }: DescribedWrite): boolean {
  return action ? action.showsSecret : type.secretResponses.some((name) => name === kind)
}

/** Reports the writes of types with `requireIdempotencyKey` that would be refused with and without a key. */
export function checkSecretResponses(registry: Registry): void {
  for (const type of registry.types.values()) {
    if (!type.declaration.requireIdempotencyKey) continue
    for (const write of listSecretWrites(type)) {
      registry.fail(
        type,
        'requireIdempotencyKey',
        `The response of ${write} shows a secret once and is not stored with a key, so that it would be refused with and without a key.`,
      )
    }
  }
}

function listSecretWrites({ secretResponses, operations, actions }: ResourceType): readonly string[] {
  return [
    ...secretResponses.filter((name) => operations.has(name)),
    ...actions.filter((action) => action.showsSecret).map(({ name }) => `the action ${name}`),
  ]
}
