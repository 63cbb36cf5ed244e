"""A withdrawal is final at once, so the packed rows of the last day's withdrawals are deleted."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("trials", "0001_initial")]
    operations = [
        migrations.DeleteModel("ReleasedAnswer"),
        migrations.DeleteModel("Withdrawal"),
        migrations.RemoveField("recruitment", "entry"),
        migrations.RemoveField("recruitment", "letters"),
        migrations.RemoveField("recruitment", "length"),
    ]
