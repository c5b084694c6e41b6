import type { Need, ResourceType } from '#kernel/plugin'

/** Without the plugin the job has no worker, and a write that enqueues it is a 500. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  return declaration.job ? [{ member: 'job', ignored: "'job'" }] : []
}
