"""The process of the server: its exit statuses, watchdog, log, memory and interpreter."""
