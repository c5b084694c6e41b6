/**
 * Returns the statement that gives a function of a trigger the schema of the migration as its search_path. A restore, or another
 * role, may write rows with another search_path than that of the service.
 */
export function fixSearchPath(name: string): string {
  return `do $do$ begin
  execute format('alter function ${name}() set search_path = %I, pg_temp', current_schema());
end $do$`
}
