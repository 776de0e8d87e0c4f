### प्रवर्तनस्य स्थितिः ।

status-created = निर्मितम्
status-running = चलति
status-finished = समाप्तम्
status-failed = विफलम्
status-interrupted = व्यवहितम्
status-damaged = दूषितम्
