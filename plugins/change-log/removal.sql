drop function change_log_record() cascade;
drop table change_deliveries;
drop function change_deliveries_begin();
drop function change_deliveries_advance();
drop table change_consumers;
drop table change_declarations;
drop table change_log;
delete from migrations where name = 'change-log/20260301000000_change-log';
