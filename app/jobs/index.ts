// The job queue in the database of the application. pg-boss is loaded when a job is enqueued or a worker starts.

export type { Job, JobBacklog, JobHeaders, ObservedJob, Queue, QueueOptions, Worker } from './contract.ts'
export { createQueue, QueueNotOpen } from './queue.ts'
export { removeRows } from './remove-rows.ts'
