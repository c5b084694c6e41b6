// The job queue in the database of the application. pg-boss is loaded when a job is enqueued or a worker starts.

export { createQueue, QueueNotOpen } from './queue.ts'
