// 4 errors: what begins no item is reported once
x = 3; y = 4;;
query q = true;
) query r = true;
