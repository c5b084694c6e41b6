import { didYouMean } from '#kernel/errors'
import type { Registry, ResourceType } from '#kernel/plugin'
import { listResponses } from '#plugins/responses/index.ts'
import type { Accepted } from './declared-responses.ts'
import { listJobs } from './jobs.ts'

const writeKeys = ['create', 'update'] as const

/** Reports faults in declarations of asynchronous writes and jobs. */
export function checkAsyncWrites(registry: Registry): void {
  for (const type of registry.types.values()) {
    for (const key of writeKeys) checkAccepted(type, key, registry)
    if (type.declaration.accept && !writeKeys.some((key) => acceptedBy(type, key))) {
      registry.fail(type, 'accept', 'Neither create nor update has accepted() among its answers.')
    }
    const redirects = listResponses(type, 'fetchOne').some(({ response }) => response === 'seeOther')
    if (redirects && !type.declaration.completionLocation) {
      const message =
        'seeOther() is among its answers, but nothing returns the URL of the result: add completionLocation.'
      registry.fail(type, 'fetchOne', message)
    }
  }
  const names = listJobs(registry).map(({ name }) => name)
  for (const type of registry.types.values()) {
    const { job } = type.declaration
    if (!job) continue
    if (!/^[\w-]+$/.test(job.name)) {
      registry.fail(type, 'job', `'${job.name}' is not a name for a job: letters, digits and hyphens are.`)
    }
    if (names.filter((name) => name === job.name).length > 1) {
      registry.fail(type, 'job', `Another type has a job called '${job.name}'.`)
    }
  }
}

/** The `accepted()` that a type declares for an operation. */
export function acceptedBy(type: ResourceType, key: 'create' | 'update'): Accepted | undefined {
  return listResponses(type, key).find(({ response }) => response === 'accepted') as Accepted | undefined
}

function checkAccepted(type: ResourceType, key: 'create' | 'update', registry: Registry): void {
  const accepted = acceptedBy(type, key)
  if (!accepted) return
  const { accept, persister } = type.declaration
  if (!accept && !persister) {
    registry.fail(type, key, 'accepted() is among its answers, but nothing hands the write over: add accept.')
  }
  const job = registry.types.get(accepted.jobType)
  if (!job) {
    const suggestion = didYouMean(accepted.jobType, registry.types.keys())
    registry.fail(type, key, `accepted() names '${accepted.jobType}', which is not a resource type.${suggestion}`)
  }
  for (const server of type.servers) {
    if (job && !job.servers.includes(server)) {
      registry.fail(type, key, `accepted() names '${job.name}', which the server '${server}' does not offer.`)
    }
  }
}
